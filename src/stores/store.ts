import type { GrantStore } from '../approval/store.ts'
import type { AuditStore } from '../audit/store.ts'
import type { StepStore } from '../call/step.ts'
import type { ConnectionStore } from '../connection/store.ts'
import type { Changes, ElicitationStore } from '../elicitation/store.ts'
import type { HubStore } from '../hub/store.ts'
import type { InstanceStore } from '../instance/instance.ts'
import type { KeptSessionStore } from '../instance/kept-session.ts'
import type { MailboxStore } from '../instance/mailbox.ts'
import type { BrowserStore } from '../participant/browser.ts'
import type { PasskeyStore } from '../passkey/passkey.ts'
import type { StoreClock } from './store-clock.ts'

/** Everything that Assent stores. */
export interface Store {
  /** Its address for people, without user and password. */
  readonly name: string
  readonly elicitations: ElicitationStore
  readonly changes: Changes
  readonly audit: AuditStore
  readonly steps: StepStore
  readonly browsers: BrowserStore
  readonly connections: ConnectionStore
  readonly grants: GrantStore
  readonly passkeys: PasskeyStore
  readonly hub: HubStore
  readonly instances: InstanceStore
  readonly mailbox: MailboxStore
  readonly sessions: KeptSessionStore
  /** Everybody who shares the store must see the same time here, whatever the clock of their machine says. */
  readonly clock: StoreClock
  /** Reads everything that is kept, which may take long, and says what of it is damaged. Empty: nothing was found. */
  findDamage(): Promise<readonly string[]>
  /** Gives disk space that deleted records took back, a little of it. Returns whether there is more to give back. */
  shrink(): Promise<boolean>
  /** Waits for pending writes. Calling it again has no further effect. */
  close(): Promise<void>
}

/** Makes `close` run once, however often it is called. */
export function closeOnce(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined
  return () => {
    closing ??= close()
    return closing
  }
}
