import type { UsageStore } from '../approval/limits/usage.ts'
import type { GrantStore } from '../approval/store.ts'
import type { AuditStore } from '../audit/store.ts'
import type { StepStore } from '../call/step.ts'
import type { RegistrationStore } from '../connection/registration/registration.ts'
import type { ConnectionStore } from '../connection/store.ts'
import type { DefinitionStore } from '../definition/known-definition.ts'
import type { Changes, ElicitationStore } from '../elicitation/store.ts'
import type { HubStore } from '../hub/store.ts'
import type { HoldingStore } from '../instance/holding.ts'
import type { InstanceStore } from '../instance/instance.ts'
import type { KeptSessionStore } from '../instance/kept-session.ts'
import type { MailboxStore } from '../instance/mailbox.ts'
import type { BrowserStore } from '../participant/browser.ts'
import type { ApiToken, OwnedStore, PushSubscription } from '../participant/owned.ts'
import type { PasskeyStore } from '../passkey/passkey.ts'
import type { RollupStore } from '../rollup/store.ts'
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
  readonly registrations: RegistrationStore
  readonly definitions: DefinitionStore
  readonly grants: GrantStore
  readonly usage: UsageStore
  readonly passkeys: PasskeyStore
  /** By which programs act for people. */
  readonly tokens: OwnedStore<ApiToken>
  /** Browsers that are told of questions. */
  readonly pushes: OwnedStore<PushSubscription>
  readonly hub: HubStore
  readonly instances: InstanceStore
  readonly mailbox: MailboxStore
  readonly sessions: KeptSessionStore
  readonly rollups: RollupStore
  readonly holdings: HoldingStore
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
