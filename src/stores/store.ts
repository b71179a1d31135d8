import type { GrantStore } from '../approval/store.ts'
import type { AuditStore } from '../audit/store.ts'
import type { StepStore } from '../call/step.ts'
import type { ConnectionStore } from '../connection/store.ts'
import type { Changes, ElicitationStore } from '../elicitation/store.ts'
import type { BrowserStore } from '../participant/browser.ts'

/** Everything that is kept, in one place. */
export interface Store {
  /** What it is, in words a person may read: no password, no user. */
  readonly name: string
  readonly elicitations: ElicitationStore
  readonly changes: Changes
  readonly audit: AuditStore
  readonly steps: StepStore
  readonly browsers: BrowserStore
  readonly connections: ConnectionStore
  readonly grants: GrantStore
  /** Everything asked for before is kept first. Closing twice is closing once. */
  close(): Promise<void>
}

/** Runs a closing once, however often it is called. */
export function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined
  return () => {
    closing ??= close()
    return closing
  }
}
