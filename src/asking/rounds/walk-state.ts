import { randomUUID } from 'node:crypto'
import type { Json } from '../../base/json.ts'
import { isPlainObject } from '../../base/json.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'

/** Where a walk stands between two requests of a 2026 client. It travels sealed, so its names are short. */
export interface WalkState {
  /** The walk's id. */
  readonly w: string
  /** Questions that are answered, by key. */
  readonly a: Record<string, AnsweredAsk>
  /** Questions that are put, by key. */
  readonly p: Record<string, PendingAsk>
  /** How many rounds it took so far: tells the states of one walk apart. */
  n?: number
  /** The state of a handler that keeps one of its own. */
  s?: string
  /** How far a call got at an upstream, where the handler forwards. */
  u?: Json
}

/** A question that was answered. A secret is never in here: only the record that keeps it. */
export interface AnsweredAsk {
  /** Digest of the question. */
  readonly f: string
  readonly v?: Json
  readonly r?: ElicitationId
  /** It got no yes. */
  readonly x?: Refused
  /** An approval that was spent, by the digest of the call it let run: the walk goes on past it. */
  readonly g?: string
}

/** How a question ended without an answer that counts. */
export type Refused = 'decline' | 'cancel' | 'invalid'

/** A question that is put and not answered. */
export interface PendingAsk {
  readonly f: string
  /** How many answers did not fit the form. */
  readonly t?: number
  /** What was wrong with the last one, in words. */
  readonly e?: string
  /** The record of it, when the answer comes from elsewhere. */
  readonly r?: ElicitationId
  /** The person agreed to open the page. */
  readonly o?: true
}

export function newWalk(): WalkState {
  return { w: randomUUID(), a: {}, p: {} }
}

/** The walk that a state of ours holds. */
export function walkFrom(state: unknown): WalkState {
  // It was sealed by us, so it is one of these; a version of ours that spelled it otherwise starts the walk anew.
  return isPlainObject(state) && typeof state.w === 'string' && isPlainObject(state.a) && isPlainObject(state.p)
    ? (state as unknown as WalkState)
    : newWalk()
}
