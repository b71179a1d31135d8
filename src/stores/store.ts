import type { AuditStore } from '../audit/store.ts'
import type { Changes, ElicitationStore } from '../elicitation/store.ts'

/** Everything that is kept, in one place. */
export interface Store {
  /** What it is, in words a person may read: no password, no user. */
  readonly name: string
  readonly elicitations: ElicitationStore
  readonly changes: Changes
  readonly audit: AuditStore
  close(): Promise<void>
}
