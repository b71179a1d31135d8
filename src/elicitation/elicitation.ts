import type { JsonObject } from '../base/json.ts'
import type { Sealed } from '../base/seal.ts'
import type { Person } from '../participant/identify.ts'
import type { Requester } from '../participant/requester.ts'
import type { Answerer, Answerers, Answering, Via } from './answering/answerers.ts'
import type { Content, FormSchema } from './form/schema.ts'
import { missingVotes, voteProblem, withVote } from './voting/count.ts'
import { delegationProblem } from './voting/delegate.ts'
import { type GivenVote, noVoting, partOf, quorumOf, type Voting, withEscalations } from './voting/voting.ts'

/** Names one elicitation; cannot be guessed, and opens nothing by itself. */
export type ElicitationId = string & { readonly __elicitation: true }

/** What the answer is for. */
export type Purpose = 'input' | 'approval' | 'secret' | 'confirm' | 'connect'

/** What is asked: a form to fill in, or a page to visit. */
export type Question =
  | { readonly mode: 'form'; readonly message: string; readonly schema: FormSchema }
  | {
      readonly mode: 'url'
      readonly message: string
      readonly url: string
      /** Which page of ours the url leads to; absent when it leads elsewhere. */
      readonly page?: string
      /** What that page asks for, when it is a form. */
      readonly schema?: FormSchema
      /** Which account it asks the person to connect. */
      readonly connect?: ConnectTo
    }

/** Which account is asked for, and what it must allow. */
export interface ConnectTo {
  readonly provider: string
  /** An empty list asks for no scopes; it does not stand for the provider's own. */
  readonly scopes: readonly string[]
}

/** Which server asks, as the person knows it. */
export interface Origin {
  readonly server: string
}

/** What a person said. Only a clear accept carries anything. */
export type Answer =
  | { readonly action: 'accept'; readonly content?: Content }
  | { readonly action: 'decline'; readonly reason?: string }
  | { readonly action: 'cancel' }

/** An answer as it is kept: the content of a secret only sealed. */
export type KeptAnswer = Answer | { readonly action: 'accept'; readonly sealed: Sealed }

/** Who answered, and by which way. */
export interface AnsweredBy extends Pick<Answering, 'participant' | 'via' | 'client'> {
  /** The group as one of which they were asked; absent: they were asked by name. */
  readonly as?: Answerer
  /** The id of the passkey that signed the answer, when `via` is `passkey`. */
  readonly passkey?: string
}

export type ElicitationState =
  /** `askerLeftAt`: when the session that asked it ended. Absent: it is connected, or has no session. */
  | { readonly kind: 'open'; readonly askerLeftAt?: Date }
  | { readonly kind: 'answered'; readonly answer: KeptAnswer; readonly by: AnsweredBy; readonly at: Date }
  | { readonly kind: 'expired'; readonly at: Date }
  | { readonly kind: 'failed'; readonly reason: string; readonly at: Date }
  | { readonly kind: 'withdrawn'; readonly reason: string; readonly at: Date }

/** The kept record of one question. After it was asked, only `voting`, `state` and `version` ever change. */
export interface Elicitation {
  readonly id: ElicitationId
  /** 1 when asked, one more with each save. */
  readonly version: number
  readonly question: Question
  readonly purpose: Purpose
  /** Finds the answer again, such as `api-key-stripe`. */
  readonly type?: string
  readonly origin: Origin
  readonly requester: Requester
  readonly answerers: Answerers
  /** Equal for questions that one answer settles: the second one asked joins the first. */
  readonly identity: string
  readonly metadata: JsonObject
  /** What the answer is about, for whoever must judge it: the call that an approval would let run. */
  readonly subject?: JsonObject
  /** Absent: normal. */
  readonly priority?: Priority
  readonly createdAt: Date
  readonly expiresAt: Date
  /** What was gathered since it was asked: votes, delegations, escalations. */
  readonly voting?: Voting
  readonly state: ElicitationState
}

/** Somebody hands their part on. */
export interface GivenDelegation {
  /** Whose groups are those of this moment. */
  readonly person: Person
  readonly to: Answerer
  readonly via: Via
  /** What is known of `to`, if they are a person who was here before. */
  readonly receiver?: Person
}

/** What can happen to an open elicitation. */
export type ElicitationEvent =
  | { readonly kind: 'looked-at'; readonly at: Date }
  | {
      readonly kind: 'answered'
      readonly answer: KeptAnswer
      readonly by: AnsweredBy
      readonly at: Date
      /** What the answer means as a vote; absent where a question is no approval. */
      readonly vote?: GivenVote
    }
  | { readonly kind: 'delegated'; readonly given: GivenDelegation; readonly at: Date }
  /** The session that asked it ended; a session asked it again. */
  | { readonly kind: 'asker-left' | 'asker-back'; readonly at: Date }
  | { readonly kind: 'failed'; readonly reason: string; readonly at: Date }
  | { readonly kind: 'withdrawn'; readonly reason: string; readonly at: Date }

/** Clocks of two machines differ, and people press the button in the last second: so long an answer still settles. */
export const settlingGraceMs = 30_000

/**
 * The whole life of an elicitation. Once settled it is final: later events change nothing. Until then it gathers votes, is
 * handed on, and others are asked too when it is time.
 */
export function applyEvent(elicitation: Elicitation, event: ElicitationEvent): Elicitation {
  if (elicitation.state.kind !== 'open') return elicitation
  if (event.at >= lastMoment(elicitation)) return settle(elicitation, { kind: 'expired', at: elicitation.expiresAt })

  const voting = withEscalations(elicitation, event.at)
  const current = voting === elicitation.voting ? elicitation : gathered(elicitation, voting)
  switch (event.kind) {
    case 'looked-at':
      return current
    case 'answered':
      return answered(elicitation, current, event)
    case 'delegated':
      return delegated(elicitation, current, event)
    case 'asker-left':
    case 'asker-back':
      return attended(elicitation, current, event)
    case 'failed':
    case 'withdrawn':
      return settle(elicitation, event, voting)
  }
}

/** Any no settles; a yes does when it is the last that was missing. What does not count changes nothing. */
function answered(
  before: Elicitation,
  current: Elicitation,
  { vote, ...answer }: Extract<ElicitationEvent, { kind: 'answered' }>,
): Elicitation {
  if (vote === undefined) return settle(before, answer, current.voting)
  if (voteProblem(current, vote) !== undefined) return current
  if (quorumOf(current) === 1) return settle(before, answer, current.voting)
  const voting = withVote(current, vote, answer.at, answer.by.via)
  const isOver = !vote.isYes || missingVotes({ ...current, voting }) === 0
  return isOver ? settle(before, answer, voting) : gathered(before, voting)
}

function delegated(
  before: Elicitation,
  current: Elicitation,
  { given, at }: Extract<ElicitationEvent, { kind: 'delegated' }>,
): Elicitation {
  const { person, to, via, receiver } = given
  if (delegationProblem(current, person, to, receiver) !== undefined) return current
  const { voting = noVoting } = current
  const part = partOf(current, person)?.delegation
  const one = { from: person.participant, to, at, via, ...(part !== undefined && { part }) }
  return gathered(before, { ...voting, delegations: [...voting.delegations, one] })
}

/** The question stays as it is, whoever is connected: the mark only tells people that nobody waits for them now. */
function attended(
  before: Elicitation,
  current: Elicitation,
  { kind, at }: Extract<ElicitationEvent, { kind: 'asker-left' | 'asker-back' }>,
): Elicitation {
  if ((askerLeftAt(current) !== undefined) === (kind === 'asker-left')) return current
  const state = kind === 'asker-left' ? ({ kind: 'open', askerLeftAt: at } as const) : ({ kind: 'open' } as const)
  return { ...gathered(before, current.voting), state }
}

function gathered(elicitation: Elicitation, voting: Voting | undefined): Elicitation {
  return { ...elicitation, version: elicitation.version + 1, ...(voting && { voting }) }
}

/** From this moment on an open question can only expire. */
export function lastMoment({ expiresAt }: Elicitation): Date {
  return new Date(expiresAt.getTime() + settlingGraceMs)
}

/** Settled is for good; open may still become anything. */
export function isSettled(elicitation: Elicitation): boolean {
  return elicitation.state.kind !== 'open'
}

function settle(elicitation: Elicitation, state: ElicitationState, voting = elicitation.voting): Elicitation {
  return { ...elicitation, version: elicitation.version + 1, ...(voting && { voting }), state }
}

/** When the session that asked an open question ended. */
export function askerLeftAt({ state }: Pick<Elicitation, 'state'>): Date | undefined {
  return state.kind === 'open' ? state.askerLeftAt : undefined
}

/** What people are told of an open question whose asker left. */
export const askerLeftWords =
  'The session that asked this has ended. The same call, made again, finds this question or your answer.'

/** The field of an approval's form in which the approver may say why. */
export const reasonField = 'reason'

/** How many characters of a reason are passed on and kept in the audit. */
export const longestReason = 1_000

/** Why a person said yes or no to an approval, in their own words; undefined if they gave no reason. */
export function approverReason({ purpose, state }: Pick<Elicitation, 'purpose' | 'state'>): string | undefined {
  if (purpose !== 'approval' || state.kind !== 'answered') return undefined
  const { answer } = state
  if (answer.action === 'decline') return asReason(answer.reason)
  return 'content' in answer && answer.content ? asReason(answer.content[reasonField]) : undefined
}

/** A reason as it is kept: undefined where nothing was said. */
export function asReason(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return value.trim().slice(0, longestReason).toWellFormed()
}

/** How soon a question should be looked at, most urgent first. */
export const priorities = ['urgent', 'high', 'normal', 'low'] as const

export type Priority = (typeof priorities)[number]

/** Orders questions: 0 is the most urgent. A question without a priority is a normal one. */
export function urgencyOf({ priority = 'normal' }: { readonly priority?: Priority }): number {
  return priorities.indexOf(priority)
}
