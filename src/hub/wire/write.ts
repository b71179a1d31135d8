import { randomUUID } from 'node:crypto'
import { type JsonObject, writeJson } from '../../base/json.ts'
import { hubName, protocolName } from './envelope.ts'

/** An envelope that the hub writes. */
export interface WrittenEnvelope {
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
}

export interface Writing {
  /** The hub, unless said otherwise. */
  readonly from?: string
  readonly to?: readonly string[]
  readonly kind: 'mcp' | 'presence' | 'system'
  readonly correlationId?: string
  readonly payload: JsonObject
  /** A name of its own, where the same envelope may be written again after a restart. */
  readonly id?: string
}

/** Writes an envelope, in the order of keys that people are used to. */
export function writeEnvelope(now: Date, writing: Writing): WrittenEnvelope {
  const { from = hubName, to = [], kind, correlationId, payload, id = randomUUID() } = writing
  const text = writeJson({
    protocol: protocolName,
    id,
    ts: now.toISOString(),
    from,
    ...(to.length > 0 && { to }),
    kind,
    ...(correlationId !== undefined && { correlation_id: correlationId }),
    payload,
  })
  return { id, from, to, text }
}

/** Why the hub did not pass a message on. */
export type ProblemCode =
  | 'unreadable'
  | 'too-large'
  | 'too-many'
  | 'forged-from'
  | 'not-allowed'
  | 'unknown-recipient'
  | 'bad-request'
  | 'id-used'
  | 'not-pending'
  | 'answer-refused'
  | 'unavailable'

/** A problem with a message, for its sender. */
export interface HubProblem {
  readonly code: ProblemCode
  readonly message: string
  readonly correlationId?: string
  readonly data?: JsonObject
}

/** The payload by which a sender is told. */
export function problemPayload({ code, message, data }: HubProblem): JsonObject {
  return { event: 'error', type: 'error', code, message, ...(data && { data }) }
}
