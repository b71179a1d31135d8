import type { AuditLog } from '../audit/log.ts'
import type { Clock } from '../base/clock.ts'
import type { Asked } from '../elicitation/asking/ask.ts'
import type { Ask } from '../elicitation/asking/request.ts'
import type { Elicitation, ElicitationId } from '../elicitation/elicitation.ts'
import type { UsageStore } from './limits/usage.ts'
import type { Policy } from './policy/policy.ts'
import type { Validate } from './question/edit.ts'
import type { GrantStore } from './store.ts'

/** What approving needs of questions. */
export interface ApprovalQuestions {
  ask(request: Ask): Promise<Asked>
  get(id: ElicitationId): Promise<Elicitation | undefined>
  withdrawAsObsolete(id: ElicitationId, reason: string): Promise<Elicitation>
  /** Every open question of everybody. */
  allOpen(): AsyncIterable<Elicitation>
}

/** Everything that approving needs, bound once in assent.ts. */
export interface ApprovalDesk {
  readonly store: GrantStore
  readonly usage: UsageStore
  readonly questions: ApprovalQuestions
  readonly audit: Pick<AuditLog, 'record' | 'recordAtOnce' | 'recordSoon'>
  readonly clock: Clock
  /** Today's policy. */
  policy(): Policy
  readonly validate: Validate
  /** How long a yes for one call may stay unspent. */
  readonly unspentMs: number
}
