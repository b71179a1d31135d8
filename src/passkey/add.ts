import { randomUUID } from 'node:crypto'
import { digest } from '../base/canonical.ts'
import type { JsonObject } from '../base/json.ts'
import type { ParticipantId } from '../participant/participant.ts'
import { beginCeremony, challengeFor, openCeremony } from './ceremony.ts'
import type { PasskeyDesk, PasskeyRefusal } from './desk.ts'
import type { Passkey } from './passkey.ts'
import { checkSigned, recordRefusal, type Signing } from './sign.ts'
import { creationOptions, type NewKey, readCreated, requestOptions } from './webauthn.ts'

/** What a browser needs to make a passkey. */
export interface Adding {
  /** Sent back with the new passkey. */
  readonly ceremony: string
  /** For `navigator.credentials.create`, as JSON. */
  readonly creation: JsonObject
  /** The person has passkeys, and must first sign this with one of them. */
  readonly confirmation?: Signing
}

/** What came back from the browser, unchecked. */
export interface Created {
  readonly ceremony: string
  /** The new credential, as JSON. */
  readonly created: unknown
  /** What an existing passkey signed, where one was asked to. */
  readonly confirmed?: { readonly ceremony: string; readonly assertion: unknown }
  readonly name: string
}

export type Added =
  | { readonly kind: 'added'; readonly passkey: Passkey }
  | { readonly kind: 'refused'; readonly reason: PasskeyRefusal }

const what = { to: 'create-passkey' }
/** An existing passkey lets in the one of this ceremony, and no other. */
const confirming = (ceremony: string) => ({ to: 'add-passkey', ceremony })

/** Lets a person make a passkey. `personName` is what their device lists it under. */
export async function beginAdding(desk: PasskeyDesk, participant: ParticipantId, personName: string): Promise<Adding> {
  const existing = await desk.store.list(participant)
  const { ceremony, text } = await beginCeremony(desk)
  const person = { handle: digest({ of: 'assent passkey user', participant }), name: personName }
  const creation = await creationOptions(desk.site, challengeFor(ceremony, participant, what), person, existing)
  if (existing.length === 0) return { ceremony: text, creation }
  const confirmation = await beginConfirming(desk, participant, text, existing)
  return { ceremony: text, creation, confirmation }
}

async function beginConfirming(
  desk: PasskeyDesk,
  participant: ParticipantId,
  adding: string,
  existing: readonly Passkey[],
): Promise<Signing> {
  const { ceremony, text } = await beginCeremony(desk)
  const challenge = challengeFor(ceremony, participant, confirming(adding))
  return { ceremony: text, request: await requestOptions(desk.site, challenge, existing) }
}

/** Keeps a new passkey, if it was made here, by this person, with user verification; a refused one is audited. */
export async function add(desk: PasskeyDesk, participant: ParticipantId, given: Created): Promise<Added> {
  const added = await tryToAdd(desk, participant, given)
  if (added.kind === 'refused') await recordRefusal(desk, participant, added.reason, what)
  return added
}

async function tryToAdd(desk: PasskeyDesk, participant: ParticipantId, given: Created): Promise<Added> {
  const ceremony = await openCeremony(desk, given.ceremony)
  if (ceremony === undefined) return refused('ceremony-over')
  const read = await readCreated(desk.site, challengeFor(ceremony, participant, what), given.created)
  if (read.kind === 'refused') return read
  if (!(await desk.claimOnce(ceremony.id, ceremony.expires))) return refused('ceremony-over')

  // Read now and not when it was begun: the person may have got a passkey since.
  const existing = await desk.store.list(participant)
  if (existing.length >= desk.limits.passkeysPerPerson) return refused('too-many')
  if (existing.some(({ credential }) => credential === read.value.credential)) return refused('registered-already')
  if (existing.length > 0) {
    if (given.confirmed === undefined) return refused('existing-passkey-needed')
    const confirmed = await checkSigned(desk, participant, confirming(given.ceremony), given.confirmed)
    if (confirmed.kind === 'refused') return confirmed
  }
  return keep(desk, participant, read.value, given.name, existing.length)
}

async function keep(
  { store, audit, clock }: PasskeyDesk,
  participant: ParticipantId,
  key: NewKey,
  name: string,
  others: number,
): Promise<Added> {
  const passkey: Passkey = {
    id: randomUUID(),
    version: 1,
    participant,
    ...key,
    name: cleanName(name) ?? 'Passkey',
    createdAt: clock.now(),
  }
  // Recorded first: no passkey may count that the audit does not know.
  await audit.record({
    kind: 'passkey-added',
    who: participant,
    about: passkey.id,
    data: { kind: key.kind, credential: digest(key.credential), others },
  })
  // Somebody else may have registered the same device.
  return (await store.add(passkey)) ? { kind: 'added', passkey } : refused('registered-already')
}

const longestName = 60

/** The name on one line; undefined where nothing is left of it. */
export function cleanName(name: string): string | undefined {
  const line = name.toWellFormed().replace(/\s+/g, ' ').trim().slice(0, longestName).toWellFormed().trim()
  return line === '' ? undefined : line
}

const refused = (reason: PasskeyRefusal) => ({ kind: 'refused', reason }) as const
