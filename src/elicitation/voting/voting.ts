import type { Person } from '../../participant/identify.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import type { Requester } from '../../participant/requester.ts'
import type { Answerer, Answerers, Via } from '../answering/answerers.ts'
import { forgottenParticipant, isGroup, isOneOf } from '../answering/answerers.ts'
import type { Content } from '../form/schema.ts'

/** One approver's word on a question that needs several. */
export interface Vote {
  readonly by: ParticipantId
  /** Such as `allow_once` or `deny`. */
  readonly choice: string
  readonly at: Date
  readonly via: Via
  /** Of exactly what would run. A vote counts for nothing else. */
  readonly digest: string
  readonly reason?: string
  /** The delegation by which they have their part, as its place in the list; absent: they were asked themselves. */
  readonly part?: number
}

/** An approver handed their part on. */
export interface Delegation {
  readonly from: ParticipantId
  readonly to: Answerer
  readonly at: Date
  readonly via: Via
  /** The delegation that gave `from` the part, as its place in the list; absent: they were asked themselves. */
  readonly part?: number
}

/** Others were asked too, because the question was still open. */
export interface Escalation {
  readonly to: readonly Answerer[]
  readonly at: Date
}

/** What an approver changed. The count began anew with it. */
export interface VotedEdit {
  readonly by: ParticipantId
  readonly at: Date
  /** Of what would run now. */
  readonly digest: string
  /** The fields of the form that change something. */
  readonly content: Content
}

/** What was gathered on a question since it was asked. */
export interface Voting {
  /** For what would run now, oldest first. */
  readonly votes: readonly Vote[]
  /** For what would have run before an edit. They do not count any more. */
  readonly outdated: readonly Vote[]
  readonly delegations: readonly Delegation[]
  readonly escalations: readonly Escalation[]
  readonly edit?: VotedEdit
}

export const noVoting: Voting = { votes: [], outdated: [], delegations: [], escalations: [] }

/** What votes are judged by: the part of a question that says who may decide it, and what they said. */
export interface VotedOn {
  readonly requester: Requester
  readonly answerers: Answerers
  readonly createdAt: Date
  readonly voting?: Voting
}

/** A vote as it is given. */
export interface GivenVote {
  /** Whose groups are those of this moment. */
  readonly person: Person
  readonly isYes: boolean
  readonly choice: string
  /** Of exactly what would run by this vote. */
  readonly digest: string
  /** Of what the approver was shown. */
  readonly seen: string
  /** Of what was asked for, before any edit. */
  readonly original: string
  /** The fields that change something. */
  readonly edits: Content
  readonly reason?: string
}

/** How many different people must say yes. */
export function quorumOf({ answerers }: Pick<VotedOn, 'answerers'>): number {
  return answerers.quorum ?? 1
}

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
  return voting.delegations.flatMap((one, place) =>
    handedOn.has(place) || isOfForgotten(voting, place) ? [] : [{ ...one, place }],
  )
}

/** The delegations by which somebody has the part that this one gave, the last first. */
export function delegationsTo({ delegations }: Voting, place: number | undefined): Delegation[] {
  const last = place === undefined ? undefined : delegations[place]
  return last === undefined ? [] : [last, ...delegationsTo({ delegations } as Voting, last.part)]
}

/** Whoever was forgotten may come again, and has their part again: nobody else may have it too. */
function isOfForgotten(voting: Voting, place: number | undefined): boolean {
  return delegationsTo(voting, place).some(({ from }) => from === forgottenParticipant)
}

/**
 * The votes that count. That of somebody who was forgotten does not, nor one by a part that they handed on: they may come
 * and vote again, and nobody could tell that they are the same.
 */
export function countedVotes({ voting = noVoting }: Pick<VotedOn, 'voting'>): readonly Vote[] {
  return voting.votes.filter(({ by, part }) => by !== forgottenParticipant && !isOfForgotten(voting, part))
}

/** Whether the rule lets this person have a part of somebody else, judged by the groups they have now. */
export function mayReceive(
  { answerers: { delegate } }: { readonly answerers: Pick<Answerers, 'delegate'> },
  person: Person,
): boolean {
  return delegate === true || (delegate ?? []).some((name) => isOneOf(person, name))
}

/** Whether this person may see the question: they may decide it, or said something on it before. */
export function hasTakenPart(question: VotedOn, person: Person): boolean {
  if (partOf(question, person) !== undefined) return true
  const { votes, outdated, delegations } = question.voting ?? noVoting
  const isTheirs = (name: string) => name === person.participant
  return [...votes, ...outdated].some(({ by }) => isTheirs(by)) || delegations.some(({ from }) => isTheirs(from))
}

/** Whether somebody voted by a part that was handed to a group: it is one vote, however many are in the group. */
export function isUsed(question: VotedOn, { delegation }: Part): boolean {
  return delegation !== undefined && countedVotes(question).some(({ part }) => part === delegation)
}

/** What is gathered when everybody is asked who is to be asked by this moment; the same where nobody is. */
export function withEscalations({ answerers, createdAt, voting }: VotedOn, at: Date): Voting | undefined {
  const { escalations } = voting ?? noVoting
  const due = (answerers.escalate ?? [])
    .slice(escalations.length)
    .filter(({ afterMs }) => createdAt.getTime() + afterMs <= at.getTime())
  if (due.length === 0) return voting
  return { ...(voting ?? noVoting), escalations: [...escalations, ...due.map(({ to }) => ({ to, at }))] }
}

/** When others are asked next; undefined: nobody else will be. */
export function nextEscalation({ answerers, createdAt, voting }: Omit<VotedOn, 'requester'>): Date | undefined {
  const step = answerers.escalate?.[voting?.escalations.length ?? 0]
  return step && new Date(createdAt.getTime() + step.afterMs)
}
