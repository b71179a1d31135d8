import type { Approvals } from '../approval/approvals.ts'
import type { AuditEntry } from '../audit/entry.ts'
import type { Head } from '../audit/event.ts'
import type { AuditStore } from '../audit/store.ts'
import type { AuditReport } from '../audit/verify.ts'
import type { Clock } from '../base/clock.ts'
import type { Events } from '../base/events.ts'
import type { Vault } from '../base/seal.ts'
import type { StepStore } from '../call/step.ts'
import type { Connections } from '../connection/connections.ts'
import type { ConnectionStore } from '../connection/store.ts'
import type { ToolDefinitions } from '../definition/definitions.ts'
import type { SigningAnswer } from '../elicitation/answering/answer.ts'
import type { Answered } from '../elicitation/answering/answered.ts'
import type { Answering } from '../elicitation/answering/answerers.ts'
import type { Channel } from '../elicitation/channel.ts'
import type { ElicitationNews } from '../elicitation/desk.ts'
import type { Answer, Elicitation, ElicitationId } from '../elicitation/elicitation.ts'
import type { PageSettings } from '../elicitation/page-settings.ts'
import type { ElicitationStore, OpenRequesters } from '../elicitation/store.ts'
import type { InstanceStore } from '../instance/instance.ts'
import type { BrowserStore } from '../participant/browser.ts'
import type { Login, Person } from '../participant/identify.ts'
import type { ApiToken, OwnedStore } from '../participant/owned.ts'
import type { PushSubscriptions } from '../participant/push-subscriptions.ts'
import type { PasskeyStore } from '../passkey/passkey.ts'
import type { Passkeys } from '../passkey/passkeys.ts'
import type { RollupStore } from '../rollup/store.ts'

/** The part of an `Assent` that the pages use. */
export interface AssentForWeb {
  readonly store: {
    readonly browsers: BrowserStore
    readonly connections: Pick<ConnectionStore, 'listAll'>
    readonly passkeys: Pick<PasskeyStore, 'listAll'>
    readonly instances: Pick<InstanceStore, 'list'>
    readonly tokens: OwnedStore<ApiToken>
    readonly steps: StepStore
    readonly elicitations: Pick<ElicitationStore, 'listAllOpen'>
    readonly audit: Pick<AuditStore, 'heads' | 'read' | 'chains' | 'findPseudonym'>
    readonly rollups: Pick<RollupStore, 'list' | 'sum'>
  }
  readonly vault: Vault
  readonly clock: Clock
  readonly login?: Login
  readonly connections: Connections
  readonly passkeys: Passkeys
  readonly definitions: Pick<ToolDefinitions, 'list' | 'allow'>
  readonly approvals: Pick<Approvals, 'list' | 'listAll' | 'revoke' | 'isPaused' | 'policy'>
  readonly events: Pick<Events<ElicitationNews>, 'listen'>
  readonly pages: PageSettings
  readonly channels: readonly Channel[]
  readonly subscriptions: PushSubscriptions
  get(id: ElicitationId): Promise<Elicitation | undefined>
  answer(id: ElicitationId, answering: Answering, answer: Answer): Promise<Answered>
  beginSigning(id: ElicitationId, person: Person, answer: Answer): Promise<SigningAnswer>
  listOpen(person: Person, limit: number, after?: ElicitationId): Promise<Elicitation[]>
  listRequesters(person: Person, limit: number, after?: ElicitationId): Promise<OpenRequesters>
  listOpenOf(person: Person, requester: string, limit: number, after?: ElicitationId): Promise<Elicitation[]>
  verifyAudit(heads?: readonly Head[], progress?: (events: number) => void): Promise<AuditReport>
  exportAudit(): AsyncIterable<string>
  record(entry: AuditEntry): Promise<void>
}
