import type { ParticipantId } from '../participant/participant.ts'
import { cleanName } from './add.ts'
import type { PasskeyDesk, PasskeyRefusal } from './desk.ts'
import type { Passkey } from './passkey.ts'
import { beginSigning, type Signed, type Signing, verifySigned } from './sign.ts'

export type Revoked =
  /** `left` is how many passkeys the person still has. */
  { readonly kind: 'revoked'; readonly left: number } | { readonly kind: 'refused'; readonly reason: PasskeyRefusal }

const revoking = (id: string) => ({ to: 'revoke-passkey', about: id })

/**
 * Lets a person sign that a passkey is revoked. Otherwise whoever gets hold of one of their browsers could revoke all
 * of them, and then add a passkey without one.
 */
export async function beginRevoking(
  desk: PasskeyDesk,
  participant: ParticipantId,
  id: string,
): Promise<Signing | undefined> {
  if ((await find(desk, participant, id)) === undefined) return undefined
  return beginSigning(desk, participant, revoking(id))
}

export async function revoke(
  desk: PasskeyDesk,
  participant: ParticipantId,
  id: string,
  signed: Signed,
): Promise<Revoked> {
  const verified = await verifySigned(desk, participant, revoking(id), signed)
  if (verified.kind === 'refused') return verified
  const isGone = await desk.store.remove(participant, id)
  if (!isGone) return { kind: 'refused', reason: 'unknown-passkey' }
  const left = (await desk.store.list(participant)).length
  await desk.audit.record({
    kind: 'passkey-revoked',
    who: participant,
    about: id,
    data: { by: 'person', with: verified.passkey.id, left },
  })
  return { kind: 'revoked', left }
}

/** For somebody who lost all of theirs. The one who runs Assent vouches for who asks. */
export async function revokeAsOperator(desk: PasskeyDesk, id: string): Promise<Passkey | undefined> {
  const passkey = await findAny(desk, id)
  if (passkey === undefined || !(await desk.store.remove(passkey.participant, id))) return undefined
  const left = (await desk.store.list(passkey.participant)).length
  await desk.audit.record({
    kind: 'passkey-revoked',
    who: passkey.participant,
    about: id,
    data: { by: 'operator', left },
  })
  return passkey
}

const page = 200

async function findAny({ store }: PasskeyDesk, id: string): Promise<Passkey | undefined> {
  for (let after: string | undefined; ; ) {
    const some = await store.listAll(page, after)
    const found = some.find((passkey) => passkey.id === id)
    if (found !== undefined || some.length < page) return found
    after = some.at(-1)?.id
  }
}

/** Gives a passkey another name. */
export async function rename(
  desk: PasskeyDesk,
  participant: ParticipantId,
  id: string,
  name: string,
): Promise<boolean> {
  const clean = cleanName(name)
  if (clean === undefined) return false
  for (;;) {
    const found = await find(desk, participant, id)
    if (found === undefined) return false
    if (await desk.store.saveIfUnchanged({ ...found, version: found.version + 1, name: clean })) return true
  }
}

async function find({ store }: PasskeyDesk, participant: ParticipantId, id: string): Promise<Passkey | undefined> {
  return (await store.list(participant)).find((passkey) => passkey.id === id)
}
