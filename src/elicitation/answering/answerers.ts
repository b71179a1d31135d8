import type { Person } from '../../participant/identify.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import type { SignedBy } from './signatures.ts'

/** One who may answer: a participant, or anyone in a group. */
export type Answerer = ParticipantId | `group:${string}`

/** Who may answer a question, and what proof their yes needs. */
export interface Answerers {
  /** Any one of these; never empty. */
  readonly anyOf: readonly Answerer[]
  /**
   * The least proof that a yes needs. `page`: a person we saw ourselves, on a page, in the inbox or at a terminal; the
   * client's word is not enough.
   */
  readonly through: Proof
  /** How many different people must say yes; absent: one. */
  readonly quorum?: number
  /** To whom one of them may hand their part on; `true`: to anybody; absent: to nobody. */
  readonly delegate?: readonly Answerer[] | true
  /** Who is asked too when it is still open after some time, soonest first. */
  readonly escalate?: readonly EscalationStep[]
}

/** Who may answer too, from so long after the question was asked. */
export interface EscalationStep {
  readonly afterMs: number
  readonly to: readonly Answerer[]
}

/** Someone about to answer, as verified by the channel they came through. */
export interface Answering extends Person {
  readonly via: Via
  /** Which client speaks, when `via` is `client`. */
  readonly client?: string
  /** What they signed with a passkey, when `via` is `passkey`. It is verified before it counts. */
  readonly signed?: SignedBy
  /**
   * The digest of what they were shown. Left out: what was asked for; then a yes to something that an approver has changed
   * since does not count.
   */
  readonly seen?: string
}

/** Replaces the name of a forgotten participant in what they answered. No participant can have this id. */
export const forgottenParticipant = 'forgotten' as ParticipantId

/** Before the name of a group, where a group is an answerer. */
export const groupPrefix = 'group:'

/** Whether an answerer is a group. */
export function isGroup(answerer: string): boolean {
  return answerer.startsWith(groupPrefix)
}

/** Whether this name names the person, by themselves or by a group. */
export function isOneOf(person: Person, answerer: Answerer): boolean {
  return isGroup(answerer)
    ? person.groups.includes(answerer.slice(groupPrefix.length))
    : answerer === person.participant
}

/** Whether text names somebody who can be asked: `local`, `subject@issuer` or `group:name`. */
export function isAnswererName(name: string): boolean {
  return isParticipantName(name) || /^group:./.test(name)
}

/** Whether text names one participant. */
export function isParticipantName(name: string): boolean {
  return name === 'local' || (/^[^@\s]+@\S+$/.test(name) && !/^(?:group|client):/.test(name))
}

/**
 * The way an answer came. `client` is the requester's own MCP client, `hub` a hub, `channel` a channel that checked the
 * person. On all other ways we verified the person ourselves; `passkey` is a page where they signed the answer.
 */
export type Via = 'client' | 'hub' | 'channel' | 'page' | 'inbox' | 'terminal' | 'passkey'

/**
 * How sure it is that a person gave an answer, weakest first: a client said so, a channel that checked the person said so,
 * a person whom we knew answered on a page of ours or at a terminal, or they signed exactly this with a passkey.
 */
export const proofs = ['client', 'channel', 'page', 'passkey'] as const

export type Proof = (typeof proofs)[number]

const proofOfVia: Readonly<Record<Via, Proof>> = {
  client: 'client',
  // A hub vouches for people whom we did not see, as a client does.
  hub: 'client',
  channel: 'channel',
  page: 'page',
  inbox: 'page',
  terminal: 'page',
  passkey: 'passkey',
}

/** What proof an answer that came this way is. */
export function proofOf(via: Via): Proof {
  return proofOfVia[via]
}

/** Whether `given` is at least as good a proof as `least`. */
export function isEnough(given: Proof, least: Proof): boolean {
  return proofs.indexOf(given) >= proofs.indexOf(least)
}
