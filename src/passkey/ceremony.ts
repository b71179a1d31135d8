import { randomUUID } from 'node:crypto'
import { digest } from '../base/canonical.ts'
import { isPlainObject, type JsonObject } from '../base/json.ts'
import { openText, sealText } from '../base/seal.ts'
import type { ParticipantId } from '../participant/participant.ts'
import type { PasskeyDesk } from './desk.ts'

/** How long a person may take between a page's button and their fingerprint. */
const ceremonyMs = 5 * 60_000
const identity = 'passkey/ceremony'

/** One use of a passkey, from the challenge to its signature. It counts once. */
export interface Ceremony {
  readonly id: string
  readonly expires: Date
}

/** A new ceremony, and the sealed text by which the browser brings it back. */
export async function beginCeremony({
  vault,
  clock,
}: Pick<PasskeyDesk, 'vault' | 'clock'>): Promise<{ readonly ceremony: Ceremony; readonly text: string }> {
  const expires = clock.now().getTime() + ceremonyMs
  const ceremony = { id: randomUUID(), expires: new Date(expires) }
  return { ceremony, text: await sealText(vault, identity, { id: ceremony.id, expires }) }
}

/** The ceremony that was begun with this text; undefined if none was, or its time is over. */
export async function openCeremony(
  { vault, clock }: Pick<PasskeyDesk, 'vault' | 'clock'>,
  text: string,
): Promise<Ceremony | undefined> {
  const opened = await openText(vault, identity, text)
  if (!isPlainObject(opened)) return undefined
  const { id, expires } = opened as { id: string; expires: number }
  return clock.now().getTime() < expires ? { id, expires: new Date(expires) } : undefined
}

/**
 * What the authenticator signs, in base64url: a digest of exactly what the signature is for, by whom, in which ceremony.
 * A signature for one thing is therefore worth nothing for any other.
 */
export function challengeFor({ id }: Ceremony, participant: ParticipantId, what: JsonObject): string {
  return digest({ of: 'assent passkey challenge', ceremony: id, participant, what })
}
