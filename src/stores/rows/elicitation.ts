import type { JsonObject } from '../../base/json.ts'
import type { Answerers } from '../../elicitation/answering/answerers.ts'
import { forgottenParticipant } from '../../elicitation/answering/answerers.ts'
import {
  type AnsweredBy,
  type Elicitation,
  type ElicitationId,
  type ElicitationState,
  isSettled,
  type KeptAnswer,
  type Origin,
  type Priority,
  type Purpose,
  type Question,
  urgencyOf,
} from '../../elicitation/elicitation.ts'
import type { Voting } from '../../elicitation/voting/voting.ts'
import { nextEscalation } from '../../elicitation/voting/voting.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { type Requester, requesterKey } from '../../participant/requester.ts'
import { type IntegerValue, toMs } from './values.ts'

/**
 * One elicitation as a SQL row. Times are milliseconds; fields that no query needs are JSON in `question` and
 * `outcome`.
 */
export interface ElicitationRow {
  id: string
  version: IntegerValue
  state: ElicitationState['kind']
  /** `requesterKey`, to count the open questions of a requester. */
  requester: string
  participant: string
  type: string | null
  identity: string
  expires_at: IntegerValue
  settled_at: IntegerValue | null
  /** Stored only here, so that one plain UPDATE can remove a forgotten name. */
  answered_by: string | null
  /** The id of the key that a sealed answer is sealed under. */
  sealed_key: string | null
  question: string
  /** The state, without the fields that have columns; null for most open ones. */
  outcome: string | null
  /** 0 is the most urgent. */
  urgency: IntegerValue
  /** When others are asked next; null: nobody else will be. */
  escalates_at: IntegerValue | null
  /** Votes, delegations and escalations. */
  voting: string | null
}

export const elicitationColumns = [
  ...(['id', 'version', 'state', 'requester', 'participant', 'type', 'identity', 'expires_at'] as const),
  ...(['settled_at', 'answered_by', 'sealed_key', 'question', 'outcome', 'urgency', 'escalates_at', 'voting'] as const),
]

interface AskedColumns {
  question: Question
  purpose: Purpose
  origin: Origin
  requester: Requester
  answerers: Answerers
  metadata: JsonObject
  subject?: JsonObject
  priority?: Priority
  createdAt: number
}

/** The columns that settling writes. */
export type StateColumns = Pick<ElicitationRow, 'state' | 'settled_at' | 'answered_by' | 'sealed_key' | 'outcome'>

/** The columns of what is gathered while a question is open. */
export type VotingColumns = Pick<ElicitationRow, 'escalates_at' | 'voting'>

/** The inverse of `fromElicitationRow`, except that undefined fields become absent. */
export function toElicitationRow(elicitation: Elicitation): ElicitationRow {
  const { id, version, type, identity, expiresAt, createdAt, state, voting: _, ...asked } = elicitation
  return {
    id,
    version,
    requester: requesterKey(asked.requester),
    participant: asked.requester.participant,
    type: type ?? null,
    identity,
    expires_at: expiresAt.getTime(),
    question: JSON.stringify({ ...asked, createdAt: createdAt.getTime() } satisfies AskedColumns),
    urgency: urgencyOf(elicitation),
    ...toStateColumns(state),
    ...toVotingColumns(elicitation),
  }
}

/** The columns of what is gathered, which a save may change too. */
export function toVotingColumns(elicitation: Elicitation): VotingColumns {
  const next = isSettled(elicitation) ? undefined : nextEscalation(elicitation)
  return { escalates_at: toMs(next), voting: toVotingText(elicitation.voting) }
}

/** The columns of the state, which a save may change. */
export function toStateColumns(state: ElicitationState): StateColumns {
  const none = { settled_at: null, answered_by: null, sealed_key: null, outcome: null }
  switch (state.kind) {
    case 'open':
      return {
        ...none,
        state: state.kind,
        ...(state.askerLeftAt && { outcome: JSON.stringify({ askerLeftAt: state.askerLeftAt.getTime() }) }),
      }
    case 'expired':
      return { ...none, state: state.kind, settled_at: state.at.getTime() }
    case 'failed':
    case 'withdrawn':
      return {
        ...none,
        state: state.kind,
        settled_at: state.at.getTime(),
        outcome: JSON.stringify({ reason: state.reason }),
      }
    case 'answered': {
      const { answer, by, at } = state
      const { participant, ...channel } = by
      return {
        state: state.kind,
        settled_at: at.getTime(),
        answered_by: participant,
        sealed_key: 'sealed' in answer ? answer.sealed.key : null,
        outcome: JSON.stringify({ answer, by: channel }),
      }
    }
  }
}

/** The elicitation of a row. */
export function fromElicitationRow(row: ElicitationRow): Elicitation {
  const { createdAt, ...asked }: AskedColumns = JSON.parse(row.question)
  return {
    id: row.id as ElicitationId,
    version: Number(row.version),
    ...asked,
    ...(row.type === null ? {} : { type: row.type }),
    identity: row.identity,
    createdAt: new Date(createdAt),
    expiresAt: new Date(Number(row.expires_at)),
    ...(row.voting === null ? {} : { voting: fromVotingText(row.voting) }),
    state: stateOf(row),
  }
}

/** The state of a row. */
function stateOf(row: StateColumns): ElicitationState {
  const at = new Date(Number(row.settled_at))
  switch (row.state) {
    case 'open': {
      const { askerLeftAt }: { askerLeftAt?: number } = outcomeOf(row)
      return { kind: row.state, ...(askerLeftAt !== undefined && { askerLeftAt: new Date(askerLeftAt) }) }
    }
    case 'expired':
      return { kind: row.state, at }
    case 'failed':
    case 'withdrawn': {
      const { reason }: { reason: string } = outcomeOf(row)
      return { kind: row.state, reason, at }
    }
    case 'answered': {
      const { answer, by }: { answer: KeptAnswer; by: Omit<AnsweredBy, 'participant'> } = outcomeOf(row)
      return { kind: row.state, answer, by: { ...by, participant: row.answered_by as ParticipantId }, at }
    }
  }
}

function outcomeOf({ outcome }: StateColumns) {
  return JSON.parse(outcome ?? '{}')
}

type Stored<T> = T extends Date
  ? number
  : T extends readonly (infer Item)[]
    ? readonly Stored<Item>[]
    : T extends string | number | boolean | undefined
      ? T
      : { readonly [Key in keyof T]: Stored<T[Key]> }

/** Votes, delegations and escalations as one JSON text, with times as milliseconds. */
export function toVotingText(voting: Voting | undefined): string | null {
  if (voting === undefined) return null
  return JSON.stringify(mapTimes(voting, (at) => (at as unknown as Date).getTime()))
}

/** The inverse of `toVotingText`. */
export function fromVotingText(text: string): Voting {
  return mapTimes(JSON.parse(text), (at) => new Date(at as number)) as unknown as Voting
}

/** Only these have times; what is inside a changed argument is left as it is. */
function mapTimes(voting: Stored<Voting> | Voting, map: (at: Date | number) => Date | number) {
  const timed = <T extends { readonly at: Date | number }>(one: T) => ({ ...one, at: map(one.at) })
  const { votes, outdated, delegations, escalations, edit } = voting as Voting
  return {
    votes: votes.map(timed),
    outdated: outdated.map(timed),
    delegations: delegations.map(timed),
    escalations: escalations.map(timed),
    ...(edit && { edit: timed(edit) }),
  }
}

/**
 * How the text names a participant, and what replaces it when they are forgotten. Their id has no character that JSON
 * escapes, and no content of an edit has these keys.
 */
export function namesInVoting(participant: ParticipantId): readonly (readonly [text: string, replaced: string])[] {
  const named = (key: string, name: string) => `"${key}":${JSON.stringify(name)}`
  return ['by', 'from', 'to'].map((key) => [named(key, participant), named(key, forgottenParticipant)] as const)
}
