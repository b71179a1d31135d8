import type { Person } from '../../participant/identify.ts'
import type { Answerer, Answerers } from '../answering/answerers.ts'
import { isGroup } from '../answering/answerers.ts'
import {
  actsFor,
  countedVotes,
  delegationsTo,
  heldDelegations,
  isUsed,
  mayReceive,
  noVoting,
  partOf,
  type VotedOn,
} from './voting.ts'

/** How often one approver's part may be handed on. */
const mostDelegations = 5
/** How many delegations one question keeps. */
const mostKept = 100

type Delegable = NonNullable<Answerers['delegate']>

/** Why a part cannot be handed on. */
export type DelegationProblem =
  | 'nobody-allowed'
  | 'no-part'
  | 'voted'
  | 'too-often'
  | 'requester'
  | 'circle'
  | 'asked-already'
  | 'not-allowed'

/** The same in words for the one who wants to hand it on. */
export const delegationProblemWords: Readonly<Record<DelegationProblem, string>> = {
  'nobody-allowed': 'The rule does not let this question be handed on.',
  'no-part': 'You have no part in this question that you could hand on.',
  voted: 'You have answered already, so there is nothing left to hand on.',
  'too-often': `This question was handed on ${mostDelegations} times already. Answer it, or leave it to the others.`,
  requester: 'It cannot be handed to the one who requested the call, nor to an agent that acts for them.',
  circle: 'It cannot be handed back to somebody who handed it on.',
  'asked-already': 'They are asked already.',
  'not-allowed': 'The rule does not let this question be handed to them.',
}

/** Why this person cannot hand their part to `to`; undefined: they can. `receiver` is what is known of a person. */
export function delegationProblem(
  question: VotedOn,
  person: Person,
  to: Answerer,
  receiver?: Person,
): DelegationProblem | undefined {
  const { answerers, requester, voting = noVoting } = question
  const { delegate } = answerers
  if (delegate === undefined) return 'nobody-allowed'
  const part = partOf(question, person)
  if (part === undefined) return 'no-part'
  if (countedVotes(question).some(({ by }) => by === person.participant) || isUsed(question, part)) return 'voted'
  if (delegationsTo(voting, part.delegation).length >= mostDelegations || voting.delegations.length >= mostKept)
    return 'too-often'
  if (actsFor(requester, to)) return 'requester'
  if (to === person.participant || voting.delegations.some(({ from }) => from === to)) return 'circle'
  if (isAskedByName(question, to)) return 'asked-already'
  return isAllowed(delegate, to, receiver) ? undefined : 'not-allowed'
}

function isAskedByName(question: VotedOn, to: Answerer): boolean {
  const { answerers, voting = noVoting } = question
  return (
    answerers.anyOf.includes(to) ||
    voting.escalations.some((step) => step.to.includes(to)) ||
    heldDelegations(question).some((held) => held.to === to)
  )
}

/** A person may be in a group that the rule names; whether they are is known when they answer, if not before. */
function isAllowed(delegate: Delegable, to: Answerer, receiver: Person | undefined): boolean {
  if (delegate === true || delegate.includes(to)) return true
  if (isGroup(to) || !delegate.some(isGroup)) return false
  return receiver === undefined || mayReceive({ answerers: { delegate } }, receiver)
}
