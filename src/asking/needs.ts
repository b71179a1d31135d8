import type { Approvals } from '../approval/approvals.ts'
import type { AuditEntry } from '../audit/entry.ts'
import type { Clock } from '../base/clock.ts'
import type { Events } from '../base/events.ts'
import type { Vault } from '../base/seal.ts'
import type { StepStore } from '../call/step.ts'
import type { Connections } from '../connection/connections.ts'
import type { ToolDefinitions } from '../definition/definitions.ts'
import type { Answered } from '../elicitation/answering/answered.ts'
import type { Answering } from '../elicitation/answering/answerers.ts'
import type { Asked } from '../elicitation/asking/ask.ts'
import type { Ask } from '../elicitation/asking/request.ts'
import type { ElicitationNews } from '../elicitation/desk.ts'
import type { Answer, Elicitation, ElicitationId } from '../elicitation/elicitation.ts'
import type { ElicitationLimits } from '../elicitation/limits.ts'
import type { PageSettings } from '../elicitation/page-settings.ts'
import type { ElicitationResult } from '../elicitation/result.ts'
import type { WaitOptions } from '../elicitation/wait.ts'
import type { HoldingStore } from '../instance/holding.ts'
import type { InstanceStore } from '../instance/instance.ts'
import type { KeptSessionStore } from '../instance/kept-session.ts'
import type { MailboxStore } from '../instance/mailbox.ts'
import type { Login } from '../participant/identify.ts'
import type { ParticipantId } from '../participant/participant.ts'
import type { Requester } from '../participant/requester.ts'

/** The parts of an Assent that asking over MCP needs. `createAssent` gives all of them. */
export interface AssentForServers {
  readonly vault: Vault
  readonly clock: Clock
  readonly limits: ElicitationLimits
  /** How long a question stays open, unless its asker says otherwise, in milliseconds. */
  readonly questionMs: number
  readonly store: {
    readonly steps: StepStore
    readonly instances: InstanceStore
    readonly mailbox: MailboxStore
    readonly sessions: KeptSessionStore
    readonly holdings: HoldingStore
    readonly clock: { machineAheadMs(): number }
  }
  readonly events: Events<ElicitationNews>
  readonly login?: Login
  readonly connections: Pick<Connections, 'providers' | 'events' | 'access' | 'rejected' | 'list' | 'disconnect'>
  readonly approvals: Pick<
    Approvals,
    'policy' | 'approve' | 'start' | 'begin' | 'beginAtOnce' | 'lookAgain' | 'finish' | 'finishSoon' | 'keepGrant'
  >
  readonly definitions: Pick<ToolDefinitions, 'see' | 'events'>
  readonly pages: Pick<PageSettings, 'publicUrl'>
  linkTo(id: ElicitationId, page: string): string
  ask(request: Ask): Promise<Asked>
  answer(id: ElicitationId, answering: Answering, answer: Answer): Promise<Answered>
  wait(id: ElicitationId, options?: WaitOptions): Promise<Elicitation>
  get(id: ElicitationId): Promise<Elicitation | undefined>
  find(participant: ParticipantId, type: string): Promise<ElicitationResult | undefined>
  getResult(participant: ParticipantId, id: ElicitationId): Promise<ElicitationResult | undefined>
  attend(id: ElicitationId, connected: AbortSignal): void
  withdraw(id: ElicitationId, by: Requester, reason: string): Promise<Elicitation>
  record(entry: AuditEntry): Promise<void>
}
