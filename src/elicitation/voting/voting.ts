import type { Person } from '../../participant/identify.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import type { Requester } from '../../participant/requester.ts'
import type { Answerer, Answerers } from '../answering/answerers.ts'
import type { Via } from '../answering/proof.ts'
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
