import { expect } from 'vitest'
import type { Assent } from '../../../src/index.ts'
import type { ParticipantId } from '../../../src/participant/participant.ts'
import type { Passkey } from '../../../src/passkey/passkey.ts'
import type { Passkeys } from '../../../src/passkey/passkeys.ts'
import { type Authenticator, authenticator, type Wrong } from './authenticator.ts'

/** Where passkeys work without https. */
export const passkeyUrl = 'http://localhost:4180'

/** A passkey that a person has, and the device that signs with it. */
export interface Registered {
  readonly device: Authenticator
  readonly passkey: Passkey
}

/** Adds a passkey for a person; with `existing`, which they need for all but the first. */
export async function register(
  { passkeys }: { readonly passkeys: Passkeys },
  participant: ParticipantId,
  { existing, device = authenticator(passkeyUrl), name = 'Laptop' }: RegisterOptions = {},
): Promise<Registered> {
  const { ceremony, creation, confirmation } = await passkeys.beginAdding(participant, 'somebody')
  const added = await passkeys.add(participant, {
    ceremony,
    created: device.create(creation),
    name,
    ...(existing &&
      confirmation && {
        confirmed: { ceremony: confirmation.ceremony, assertion: existing.get(confirmation.request) },
      }),
  })
  expect(added.kind).toBe('added')
  return { device, passkey: (added as { passkey: Passkey }).passkey }
}

interface RegisterOptions {
  readonly existing?: Authenticator
  readonly device?: Authenticator
  readonly name?: string
}

/** What a person signs with their device, wrongly if told so. */
export async function sign(
  { passkeys }: { readonly passkeys: Passkeys },
  participant: ParticipantId,
  what: Parameters<Passkeys['beginSigning']>[1],
  device: Authenticator,
  wrong: Wrong = {},
) {
  const signing = await passkeys.beginSigning(participant, what)
  if (signing === undefined) throw new Error('This person has no passkey.')
  return { ceremony: signing.ceremony, assertion: device.get(signing.request, wrong) }
}

/** The events about passkeys in the audit, oldest first, as kind and data. */
export async function passkeyEvents({ exportAudit }: Pick<Assent, 'exportAudit'>) {
  const events: { kind: string; data: Record<string, unknown> }[] = []
  for await (const line of exportAudit()) {
    const { event } = JSON.parse(line)
    if (event?.kind.startsWith('passkey-')) events.push({ kind: event.kind, data: event.data })
  }
  return events
}
