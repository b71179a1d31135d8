import { isPlainObject, type JsonObject, parseJson, writeJson } from '../../base/json.ts'
import { chainKey } from './envelope.ts'

/** What the hub changes in an envelope before it is delivered. */
export interface EnvelopeEdits {
  /** The arguments of a call, as its approver changed them. */
  readonly arguments?: JsonObject
  readonly payload?: JsonObject
  /** On whose behalf a call comes. */
  readonly chain?: JsonObject
}

/** An envelope with changes, and everything else as it was written. */
export function editedText(text: string, { arguments: given, payload, chain }: EnvelopeEdits): string {
  const envelope = parseJson(text) as JsonObject
  if (payload !== undefined) envelope.payload = payload
  if (given !== undefined) {
    const message = envelope.payload as JsonObject
    const params = isPlainObject(message.params) ? (message.params as JsonObject) : {}
    envelope.payload = { ...message, params: { ...params, arguments: given } }
  }
  if (chain !== undefined) envelope[chainKey] = chain
  return writeJson(envelope)
}
