import type { AnswerRules } from '../elicitation/answering/answer.ts'
import type { Answered } from '../elicitation/answering/answered.ts'
import type { Elicitation } from '../elicitation/elicitation.ts'
import type { ParticipantId } from '../participant/participant.ts'
import type { Approval, ApprovalRefused, Approved, Approving } from './approval.ts'
import { approve, type BegunByPolicy, type BegunCall, begin, beginAtOnce } from './approve.ts'
import { type EndedCall, type FinishDesk, finish, finishSoon } from './finish.ts'
import type { Grant, GrantId } from './grant/grant.ts'
import { keepAnswered, keepGrant, type Verdict } from './grant/keep-grant.ts'
import { isPaused, pause, resume } from './grant/pause.ts'
import { revoke } from './grant/revoke.ts'
import { lookAgain, type Running } from './look-again.ts'
import type { Policy } from './policy/policy.ts'
import { approvalRules } from './question/answer-approval.ts'
import { withdrawOutdated } from './reload.ts'
import { type Started, type Starting, start } from './start.ts'

/** Who may let which call run: deciding, asking, remembering, taking back. */
export interface Approvals {
  readonly policy: Policy
  approve(approving: Approving): Promise<Approval>
  start(approved: Approved, starting: Starting): Promise<Started>
  /** Both in one, where no account is needed. What let the call run must be looked at again before it is sent. */
  begin(approving: Approving): Promise<BegunCall>
  /**
   * The same without waiting: if the call is sent right after, nothing needs to be looked at again. Undefined: nothing was
   * done, and `begin` must be used.
   */
  beginAtOnce(approving: Approving): BegunByPolicy | undefined
  /** Why a started call may not act any more; undefined: it may. Asked before each later request that is sent for it. */
  lookAgain(running: Running): Promise<ApprovalRefused | undefined>
  /** Records how a call ended. Never rejects: a record that the store does not take is made later. */
  finish(ended: EndedCall): Promise<void>
  /** For a call that `begin` let run by policy alone; resolves when it is kept, which nobody has to wait for. */
  finishSoon(ended: EndedCall): Promise<void>
  /** How the answer to an approval is judged. */
  readonly answerRules: AnswerRules
  /** Keeps what an answered approval brings; harmless when it is kept already. */
  keepGrant(asked: Elicitation): Promise<Verdict>
  /** Passes on how answering a question ended; where it was an approval, the grant that it brings is kept first. */
  keepAnswered(answered: Answered): Promise<Answered>
  /** Lasting ones of a participant, newest first, revoked ones too. */
  list(participant: ParticipantId, limit: number, after?: GrantId): Promise<Grant[]>
  listAll(limit: number, after?: GrantId): Promise<Grant[]>
  /** Undefined: there is none that this participant may revoke. */
  revoke(id: GrantId, by: ParticipantId | 'operator'): Promise<Grant | undefined>
  isPaused(): Promise<boolean>
  /** Denies everything at once, in every process that shares the store. False: it was so already. */
  pause(by: ParticipantId): Promise<boolean>
  resume(by: ParticipantId): Promise<boolean>
  /** From now on this policy holds; open questions that it would not ask are taken back. Returns how many. */
  usePolicy(policy: Policy): Promise<number>
}

interface ApprovalParts extends Omit<FinishDesk, 'policy'> {
  /** Loads what a policy needs, before it holds. */
  prepare(policy: Policy): Promise<void>
}

/** Binds approving to its desk, and to a policy that may be changed later. */
export function createApprovals(parts: ApprovalParts, first: Policy): Approvals {
  let policy = first
  const desk: FinishDesk = { ...parts, policy: () => policy }
  return {
    get policy() {
      return policy
    },
    approve: (approving) => approve(desk, approving),
    start: (approved, starting) => start(desk, approved, starting),
    begin: (approving) => begin(desk, approving),
    beginAtOnce: (approving) => beginAtOnce(desk, approving),
    lookAgain: (running) => lookAgain(desk, running),
    finish: (ended) => finish(desk, ended),
    finishSoon: (ended) => finishSoon(desk, ended),
    answerRules: approvalRules(desk),
    keepGrant: (asked) => keepGrant(desk, asked),
    keepAnswered: (answered) => keepAnswered(desk, answered),
    list: (participant, limit, after) => desk.store.list(participant, limit, after),
    listAll: (limit, after) => desk.store.listAll(limit, after),
    revoke: (id, by) => revoke(desk, id, by),
    isPaused: () => isPaused(desk),
    pause: (by) => pause(desk, by),
    resume: (by) => resume(desk, by),
    async usePolicy(next) {
      await parts.prepare(next)
      policy = next
      return withdrawOutdated(desk)
    },
  }
}
