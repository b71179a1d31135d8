import { randomUUID } from 'node:crypto'
import type { AuditEntry } from '../../audit/entry.ts'
import type { AuditKind } from '../../audit/kinds.ts'
import { type Elicitation, isSettled } from '../../elicitation/elicitation.ts'
import { mustExist } from '../../elicitation/errors.ts'
import type { Person } from '../../participant/identify.ts'
import type { Connection } from '../connection.ts'
import type { Completed } from '../connections.ts'
import type { Credential } from '../credential/credential.ts'
import { openCredential, sealCredential } from '../credential/open-credential.ts'
import type { ConnectionDesk } from '../desk.ts'
import type { Provider } from '../provider.ts'
import { revokeAtProvider } from '../revoke-at-provider.ts'
import { missingScopes, scopesWanted } from '../scopes.ts'
import { settleQuestion } from './settle-question.ts'

/** A credential that a person just gave, and the question that it was given for. */
export interface NewCredential {
  readonly provider: Provider
  readonly person: Person
  readonly asked: Elicitation | undefined
  readonly credential: Credential
  readonly by: 'consent' | 'key'
  readonly scopes: readonly string[]
  readonly expiresAt?: Date
  readonly account?: string
}

const tooLittle = 'The account was connected, but without all that was asked for.'

/**
 * Keeps a new connection in the place of an older one, and settles its question.
 *
 * Kept first, settled then: a yes without its connection would be believed by whoever waits, while a connection whose
 * question is still open is found by the next `access`. When the question turns out to be settled, what was kept is
 * taken back: the person may have said no in another tab, and doubt is never an allow.
 */
export async function keepConnection(desk: ConnectionDesk, arrival: NewCredential): Promise<Completed> {
  const { provider, person, asked, scopes } = arrival
  const previous = await desk.store.get(person.participant, provider.name)
  const now = asked && mustExist(await desk.questions.get(asked.id), asked.id)
  if (now && isSettled(now)) return tooLate(desk, arrival, previous, now)

  const missing = missingScopes(scopesWanted(provider, asked), scopes)
  const landed = await newConnection(desk, arrival)
  await desk.audit.record(entry(arrival, 'connected', missing.length === 0 ? {} : { missing }))
  await desk.store.put(landed)
  const settled =
    asked &&
    (await settleQuestion(
      desk,
      asked.id,
      person,
      missing.length === 0 ? { action: 'accept' } : { action: 'decline', reason: tooLittle },
    ))
  if (settled?.kind === 'late') {
    await takeBack(desk, landed, previous)
    return tooLate(desk, arrival, previous, settled.elicitation)
  }
  const end = { provider, ...(settled && { elicitation: settled.elicitation }) }
  return missing.length === 0 ? { kind: 'connected', ...end } : { kind: 'too-little', missing, ...end }
}

async function newConnection(desk: ConnectionDesk, arrival: NewCredential): Promise<Connection> {
  const { person, credential, asked, by, expiresAt, account } = arrival
  const named = { id: randomUUID(), participant: person.participant, provider: arrival.provider.name }
  const at = desk.clock.now()
  return {
    ...named,
    version: 1,
    scopes: [...arrival.scopes],
    standing: 'good',
    sealed: await sealCredential(desk, named, credential),
    ...(expiresAt !== undefined && { expiresAt }),
    renewable: credential.kind === 'tokens' && credential.refreshToken !== undefined,
    obtained: { at, by },
    ...(account !== undefined && { account }),
    connectedAt: at,
    ...(asked !== undefined && { elicitation: asked.id }),
  }
}

async function tooLate(
  desk: ConnectionDesk,
  arrival: NewCredential,
  previous: Connection | undefined,
  elicitation: Elicitation,
): Promise<Completed> {
  await desk.audit.record(entry(arrival, 'connect-refused', { reason: 'late' }))
  // Many providers revoke all that one person granted: an older connection would be lost with it.
  if (previous === undefined) await revokeAtProvider(desk, arrival.provider, arrival.credential)
  return { kind: 'late', elicitation }
}

/** Brings back what was there before, by compare-and-set under the new id: what somebody else put there meanwhile stays. */
async function takeBack(desk: ConnectionDesk, landed: Connection, previous: Connection | undefined): Promise<void> {
  if (previous === undefined) {
    await desk.store.remove(landed)
    return
  }
  const { id } = landed
  // Whoever was renewing the older one can no longer save what they get.
  const { refreshingUntil, ...kept } = previous
  const sealed = await sealCredential(desk, { ...kept, id }, await openCredential(desk, previous))
  let current: Connection | undefined = landed
  while (current?.id === id) {
    if (await desk.store.saveIfUnchanged({ ...kept, id, version: current.version + 1, sealed })) return
    current = await desk.store.get(landed.participant, landed.provider)
  }
}

function entry(
  { provider, person, scopes, asked, by }: NewCredential,
  kind: AuditKind,
  more: AuditEntry['data'],
): AuditEntry {
  const data = { provider: provider.name, scopes: [...scopes], by, ...more }
  return { kind, who: person.participant, ...(asked && { about: asked.id }), data }
}
