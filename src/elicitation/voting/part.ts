import type { Person } from '../../participant/identify.ts'
import type { Requester } from '../../participant/requester.ts'
import type { Answerer } from '../answering/answerers.ts'
import { isGroup, isOneOf } from '../answering/names.ts'
import { noVoting, type VotedOn } from './voting.ts'

/** By which name somebody may decide a question now. */
export interface Part {
  readonly as: Answerer
  /** The place of the delegation that gave it to them; absent: they were asked themselves. */
  readonly delegation?: number
}

/**
 * The part that this person has in a question now; undefined: none. Whoever handed theirs on has none any more. The
 * requester has one only where the rule names them: an escalation or a delegation never gives them one.
 */
export function partOf(question: VotedOn, person: Person): Part | undefined {
  const { answerers, requester, voting = noVoting } = question
  if (voting.delegations.some(({ from }) => from === person.participant)) return undefined
  const isRequesters = actsFor(requester, person.participant)
  const added = isRequesters ? [] : voting.escalations.flatMap(({ to }) => to)
  const own = [...answerers.anyOf, ...added].filter((name) => isOneOf(person, name))
  // Their own name first: groups change.
  const as = own.find((name) => !isGroup(name)) ?? own[0]
  if (as !== undefined) return { as }
  if (isRequesters || !mayReceive(question, person)) return undefined
  const open = heldDelegations(question).find(({ to }) => isOneOf(person, to))
  return open && { as: open.to, delegation: open.place }
}

/** Everybody who may decide a question now, by name or group; some may have handed their part on. */
export function answerersNow({ answerers, voting = noVoting }: Pick<VotedOn, 'answerers' | 'voting'>): Answerer[] {
  const added = [...voting.escalations.flatMap(({ to }) => to), ...voting.delegations.map(({ to }) => to)]
  return [...new Set([...answerers.anyOf, ...added])]
}

/** The requester, or an agent that acts for them. */
export function actsFor({ participant, client, agents = [] }: Requester, name: string): boolean {
  return name === participant || name === client || agents.includes(name)
}

/** The delegations that nobody handed on, each with its place. */
export function heldDelegations({ voting = noVoting }: Pick<VotedOn, 'voting'>) {
  const handedOn = new Set(voting.delegations.map(({ part }) => part))
  return voting.delegations.flatMap((one, place) => (handedOn.has(place) ? [] : [{ ...one, place }]))
}

/** Whether the rule lets this person have a part of somebody else, judged by the groups they have now. */
export function mayReceive({ answerers: { delegate } }: Pick<VotedOn, 'answerers'>, person: Person): boolean {
  return delegate === true || (delegate ?? []).some((name) => isOneOf(person, name))
}

/** Whether this person may see the question: they may decide it, or said something on it before. */
export function hasTakenPart(question: VotedOn, person: Person): boolean {
  if (partOf(question, person) !== undefined) return true
  const { votes, outdated, delegations } = question.voting ?? noVoting
  const isTheirs = (name: string) => name === person.participant
  return [...votes, ...outdated].some(({ by }) => isTheirs(by)) || delegations.some(({ from }) => isTheirs(from))
}
