import { randomUUID } from 'node:crypto'
import type { Json } from '../../base/json.ts'
import { isPlainObject } from '../../base/json.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'

/** Where a walk stands between two requests of a 2026 client. `sealWalk` seals it into the client's `requestState`. */
export interface WalkState {
  readonly id: string
  /** Answered questions, by key. */
  readonly answered: Record<string, AnsweredAsk>
  /** Open questions, by key. */
  readonly pending: Record<string, PendingAsk>
  /** The number of rounds so far. It tells the states of one walk apart. */
  round?: number
  /** The handler's own `requestState`, if it keeps one. */
  handlerState?: string
  /** When the state expires that brought this walk, in milliseconds. Not part of what is sealed. */
  readonly expiresAt?: number
  /** How far the call got at an upstream. Only the gateway writes it (`gateway/forward/upstream-progress.ts`). */
  upstream?: Json
}

/** An answered question. Never holds a secret: only the id of the record that keeps it. */
export interface AnsweredAsk {
  /** Digest of the question. */
  readonly fingerprint: string
  readonly value?: Json
  readonly record?: ElicitationId
  /** Set when the question did not get a yes. */
  readonly refused?: Refused
  /** Set for an approval that was spent: the digest of the call that it let run. */
  readonly spentFor?: string
  /** Set for a call that was started without spending a yes: the digest of the call. Its start is in the audit. */
  readonly startedAs?: string
}

/** How a question ended without an answer that counts. */
export type Refused = 'decline' | 'cancel' | 'invalid'

/** A question without an answer. */
export interface PendingAsk {
  readonly fingerprint: string
  /** How many answers did not fit the form. */
  readonly tries?: number
  /** What was wrong with the last one, for the person. */
  readonly problem?: string
  /** The kept record, if the answer can come from somewhere else than this client. */
  readonly record?: ElicitationId
  /** The person agreed to open the page. */
  readonly opened?: true
  /** When it was put to the client, in milliseconds. */
  readonly askedAt?: number
  /** Why this client is not asked again: the question waits for an answer from elsewhere. */
  readonly elsewhere?: string
}

export function newWalk(): WalkState {
  return { id: randomUUID(), answered: {}, pending: {} }
}

// A state travels in every request of a 2026 client, so its keys are short on the wire. The table is part of the
// sealed format: states that an earlier version sealed must still open. Never reuse a letter.
const walkKeys = { id: 'w', answered: 'a', pending: 'p', round: 'n', handlerState: 's', upstream: 'u' } as const
const answeredKeys = { fingerprint: 'f', value: 'v', record: 'r', refused: 'x', spentFor: 'g', startedAs: 'b' } as const
const pendingKeys = {
  fingerprint: 'f',
  tries: 't',
  problem: 'e',
  record: 'r',
  opened: 'o',
  askedAt: 'd',
  elsewhere: 'l',
} as const

/** The walk in its sealed format. */
export function encodeWalk(walk: WalkState): Json {
  const { answered, pending } = walk
  return {
    ...renamed({ ...walk }, walkKeys),
    [walkKeys.answered]: mapped(answered, (ask) => renamed({ ...ask }, answeredKeys)),
    [walkKeys.pending]: mapped(pending, (ask) => renamed({ ...ask }, pendingKeys)),
  } as Json
}

/** The walk in an opened state. A state in an unknown format starts a new walk: it was ours, but says nothing we can use. */
export function decodeWalk(state: unknown): WalkState {
  if (!isPlainObject(state) || typeof state.w !== 'string' || !isPlainObject(state.a) || !isPlainObject(state.p)) {
    return newWalk()
  }
  return {
    ...renamed(state, inverted(walkKeys)),
    answered: mapped(state.a, (ask) => renamed(ask as object, inverted(answeredKeys))),
    pending: mapped(state.p, (ask) => renamed(ask as object, inverted(pendingKeys))),
  } as unknown as WalkState
}

function renamed(record: object, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      const other = Object.hasOwn(names, name) ? names[name] : undefined
      return other === undefined || value === undefined ? [] : [[other, value]]
    }),
  )
}

function mapped<Value>(record: Record<string, Value>, change: (value: Value) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

function inverted(names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([name, other]) => [other, name]))
}
