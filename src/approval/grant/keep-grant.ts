import type { Answered } from '../../elicitation/answering/answered.ts'
import { isEnough, proofOf } from '../../elicitation/answering/answerers.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { approverReason } from '../../elicitation/elicitation.ts'
import { hasQuorum } from '../../elicitation/voting/count.ts'
import { quorumOf, type Voting } from '../../elicitation/voting/voting.ts'
import { type ApprovalRefused, refused, unlessTheyAsk } from '../approval.ts'
import type { ApprovalDesk } from '../desk.ts'
import { choicesFor, choiceText, isYes, readChoice } from '../question/choices.ts'
import { approvalIn, filledIn, type GivenYes, givenYes } from '../question/subject.ts'
import type { Grant } from './grant.ts'
import { grantFrom } from './grant-from.ts'

/** What an answered approval means: a grant that is kept, or a no. */
export type Verdict =
  | { readonly kind: 'yes'; readonly grant: Grant; readonly given: GivenYes }
  | { readonly kind: 'no'; readonly refusal: ApprovalRefused }

/**
 * Keeps the grant that an answered approval brings. Whoever meets the answer may do it, in whatever process: made twice
 * it is one grant, for its id is made of the question's.
 */
export async function keepGrant(desk: ApprovalDesk, asked: Elicitation): Promise<Verdict> {
  const about = approvalIn(asked)
  const { state } = asked
  if (about === undefined || state.kind !== 'answered') throw new TypeError('This is no answered approval.')
  const { answer, by, at } = state
  if (answer.action === 'decline') return no('denied', 'declined', saidNo(asked))
  if (answer.action === 'cancel') return no('cancelled', 'cancelled', leftWords)

  const { call, decision } = about
  const content = filledIn(asked)
  const choice = readChoice(content, choicesFor(call, decision, by.participant, 'page'))
  // An accept without a clear choice is never a yes.
  if (choice === undefined) return no('denied', 'no-choice', 'The person did not say yes.')

  // A process of an older version may have settled it, which knows of no quorum and of no passkey.
  if (isYes(choice) && !isFullYes(asked)) return no('denied', 'no-quorum', 'Too few people said yes.')

  const approved = {
    elicitation: asked.id,
    by: by.participant,
    as: by.as ?? by.participant,
    through: proofOf(by.via),
    at,
    unspentMs: desk.unspentMs,
  } as const
  const made = grantFrom(approved, choice, call, decision)
  const grant = made && (await keep(desk, made, choiceText(choice)))
  if (grant === undefined || !isYes(choice)) {
    return no('denied', choice.kind, saidNo(asked))
  }
  return { kind: 'yes', grant, given: givenYes(asked) as GivenYes }
}

/** Whether as many said yes as the question needs, in the way that it needs. */
export function isFullYes(asked: Elicitation): boolean {
  const { state, answerers, voting } = asked
  if (state.kind !== 'answered' || !hasQuorum(asked)) return false
  const given = quorumOf(asked) === 1 ? [state.by] : (voting as Voting).votes
  return given.every(({ via }) => isEnough(proofOf(via), answerers.through))
}

/** Keeps the grant of an approval that was just answered, also where somebody else answered it first and then broke off. */
export async function keepAnswered(desk: ApprovalDesk, answered: Answered): Promise<Answered> {
  if (answered.kind !== 'kept' && answered.kind !== 'late') return answered
  const { elicitation } = answered
  const isApproval = elicitation.state.kind === 'answered' && approvalIn(elicitation) !== undefined
  if (isApproval) await keepGrant(desk, elicitation)
  return answered
}

async function keep({ store, audit }: ApprovalDesk, made: Grant, choice: string): Promise<Grant> {
  const { id, effect, server, tool, grantedBy, elicitation } = made
  const data = { effect, server, tool, choice, elicitation }
  for (;;) {
    const before = await store.get(id)
    if (before !== undefined) return before
    await audit.record({ kind: 'grant-made', who: grantedBy, about: id, data })
    if (await store.add(made)) return made
  }
}

function no(status: ApprovalRefused['status'], reason: string, message: string): Verdict {
  return { kind: 'no', refusal: refused(status, reason, message) }
}

const leftWords = `The person left without answering. Nothing ran. ${unlessTheyAsk}`

function saidNo(asked: Elicitation): string {
  const reason = approverReason(asked)
  const advice = `Nothing ran. ${unlessTheyAsk}`
  return reason === undefined
    ? `The person said no. ${advice}`
    : `The person said no. Their reason: ${reason}\n${advice}`
}
