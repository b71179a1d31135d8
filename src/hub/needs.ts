import type { Approvals } from '../approval/approvals.ts'
import type { GrantStore } from '../approval/store.ts'
import type { AuditEntry } from '../audit/entry.ts'
import type { Clock } from '../base/clock.ts'
import type { Vault } from '../base/seal.ts'
import type { StepStore } from '../call/step.ts'
import type { Answered } from '../elicitation/answering/answered.ts'
import type { Answering } from '../elicitation/answering/answerers.ts'
import type { Asked } from '../elicitation/asking/ask.ts'
import type { Ask } from '../elicitation/asking/request.ts'
import type { Answer, Elicitation, ElicitationId } from '../elicitation/elicitation.ts'
import type { Changes } from '../elicitation/store.ts'
import type { WaitOptions } from '../elicitation/wait.ts'
import type { Login } from '../participant/identify.ts'
import type { HubStore } from './store.ts'

/** The parts of an Assent that the hub needs. `createAssent` gives all of them. */
export interface AssentForHub {
  readonly clock: Clock
  readonly vault: Vault
  readonly login?: Login
  readonly store: {
    readonly hub: HubStore
    readonly steps: StepStore
    readonly grants: Pick<GrantStore, 'get'>
    readonly changes: Changes
  }
  readonly approvals: Pick<
    Approvals,
    'policy' | 'approve' | 'start' | 'begin' | 'beginAtOnce' | 'lookAgain' | 'finish' | 'finishSoon'
  >
  linkTo(id: ElicitationId, page: string): string
  ask(request: Ask): Promise<Asked>
  answer(id: ElicitationId, answering: Answering, answer: Answer): Promise<Answered>
  wait(id: ElicitationId, options?: WaitOptions): Promise<Elicitation>
  get(id: ElicitationId): Promise<Elicitation | undefined>
  record(entry: AuditEntry): Promise<void>
}
