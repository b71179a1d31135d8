import type { JsonObject } from '../base/json.ts'
import type { ParticipantId } from '../participant/participant.ts'
import { beginCeremony, challengeFor, openCeremony } from './ceremony.ts'
import type { PasskeyDesk, PasskeyRefusal } from './desk.ts'
import type { Passkey } from './passkey.ts'
import { credentialOf, readAssertion, requestOptions } from './webauthn.ts'

/** What a browser needs so that a person signs something. */
export interface Signing {
  /** Sent back with the signature. */
  readonly ceremony: string
  /** For `navigator.credentials.get`, as JSON. */
  readonly request: JsonObject
}

/** What came back from the browser, unchecked. */
export interface Signed {
  readonly ceremony: string
  /** The assertion, as JSON. */
  readonly assertion: unknown
}

export type Verified =
  | { readonly kind: 'verified'; readonly passkey: Passkey }
  | { readonly kind: 'refused'; readonly reason: PasskeyRefusal }

/** Lets a person sign `what` with any of their passkeys. Undefined: they have none. */
export async function beginSigning(
  desk: PasskeyDesk,
  participant: ParticipantId,
  what: JsonObject,
): Promise<Signing | undefined> {
  const passkeys = await desk.store.list(participant)
  if (passkeys.length === 0) return undefined
  const { ceremony, text } = await beginCeremony(desk)
  return {
    ceremony: text,
    request: await requestOptions(desk.site, challengeFor(ceremony, participant, what), passkeys),
  }
}

/** Whether this person signed exactly this with a passkey of theirs. A signature counts once; a refused one is audited. */
export async function verifySigned(
  desk: PasskeyDesk,
  participant: ParticipantId,
  what: JsonObject,
  signed: Signed,
): Promise<Verified> {
  const verified = await checkSigned(desk, participant, what, signed)
  if (verified.kind === 'refused') await recordRefusal(desk, participant, verified.reason, what)
  return verified
}

/** What was to be signed is named by its kind, and by the record it is about. */
export async function recordRefusal(
  { audit }: PasskeyDesk,
  participant: ParticipantId,
  reason: PasskeyRefusal,
  { to, about }: JsonObject,
): Promise<void> {
  await audit.record({
    kind: 'passkey-refused',
    who: participant,
    ...(typeof about === 'string' && { about }),
    data: { reason, ...(typeof to === 'string' && { to }) },
  })
}

/** Like `verifySigned`, for a caller that records refusals itself. */
export async function checkSigned(
  desk: PasskeyDesk,
  participant: ParticipantId,
  what: JsonObject,
  { ceremony: text, assertion }: Signed,
): Promise<Verified> {
  const ceremony = await openCeremony(desk, text)
  if (ceremony === undefined) return refused('ceremony-over')
  const found = await findPasskey(desk, participant, assertion)
  if (found === undefined) return refused('unknown-passkey')
  const read = await readAssertion(desk.site, challengeFor(ceremony, participant, what), found, assertion)
  if (read.kind === 'refused') return read
  // Only what is genuine uses the ceremony up, so that nobody can spoil it for the person.
  if (!(await desk.claimOnce(ceremony.id, ceremony.expires))) return refused('ceremony-over')
  return countUse(desk, found, read.value)
}

async function findPasskey(
  { store }: PasskeyDesk,
  participant: ParticipantId,
  assertion: unknown,
): Promise<Passkey | undefined> {
  const credential = credentialOf(assertion)
  return (await store.list(participant)).find((one) => one.credential === credential)
}

/** Keeps how often the passkey has signed. Of two copies that sign at once with one count, one is refused. */
async function countUse(desk: PasskeyDesk, found: Passkey, counter: number): Promise<Verified> {
  const isCounting = found.counter > 0 || counter > 0
  if (isCounting && counter <= found.counter) return refused('counter-backwards')
  const next: Passkey = { ...found, version: found.version + 1, counter, usedAt: desk.clock.now() }
  if (await desk.store.saveIfUnchanged(next)) return { kind: 'verified', passkey: next }
  const again = (await desk.store.list(found.participant)).find(({ id }) => id === found.id)
  return again === undefined ? refused('unknown-passkey') : countUse(desk, again, counter)
}

const refused = (reason: PasskeyRefusal) => ({ kind: 'refused', reason }) as const
