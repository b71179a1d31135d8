import type { AuditStore } from '../audit/store.ts'
import type { StepStore } from '../call/step.ts'
import type { Changes, ElicitationStore } from '../elicitation/store.ts'

/** Everything that is kept, in one place. */
export interface Store {
  /** What it is, in words a person may read: no password, no user. */
  readonly name: string
  readonly elicitations: ElicitationStore
  readonly changes: Changes
  readonly audit: AuditStore
  readonly steps: StepStore
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
