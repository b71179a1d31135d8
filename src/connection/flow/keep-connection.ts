import { randomUUID } from 'node:crypto'
import type { AuditEntry } from '../../audit/entry.ts'
import type { AuditKind } from '../../audit/kinds.ts'
import { type Elicitation, isSettled } from '../../elicitation/elicitation.ts'
import { mustExist } from '../../elicitation/errors.ts'
import type { Person } from '../../participant/identify.ts'
import type { Connection, IssuedBy } from '../connection.ts'
import type { Completed } from '../connections.ts'
import type { Credential } from '../credential/credential.ts'
import { openCredential, sealCredential } from '../credential/open-credential.ts'
import type { ConnectionDesk } from '../desk.ts'
import type { Provider } from '../provider.ts'
import { revokeAtProvider } from '../revoke-at-provider.ts'
import { missingScopes, scopesWanted } from '../scopes.ts'
import { settleQuestion } from './settle-question.ts'

/** A credential that a person has just given, and the question that it was given for. */
export interface NewCredential {
  readonly provider: Provider
  readonly person: Person
  readonly asked: Elicitation | undefined
  readonly credential: Credential
  readonly by: 'consent' | 'key'
  readonly scopes: readonly string[]
  readonly expiresAt?: Date
  readonly account?: string
  readonly issuedBy?: IssuedBy
}

const tooLittle = 'The account was connected, but without all scopes that were asked for.'

/**
 * Stores a new connection in place of an older one, and settles its question.
 *
 * Stored first, settled then: a yes without its connection would be believed, while a connection whose question is still
 * open is found by the next `access`. If the question turns out to be settled, the previous connection is restored: the
 * person may have declined in another tab, and in doubt nothing is allowed.
 */
export async function keepConnection(desk: ConnectionDesk, added: NewCredential): Promise<Completed> {
  const { provider, person, asked, scopes } = added
  const previous = await desk.store.get(person.participant, provider.name)
  const now = asked && mustExist(await desk.questions.get(asked.id), asked.id)
  if (now && isSettled(now)) return refuseLate(desk, added, previous, now)

  const missing = missingScopes(scopesWanted(provider, asked), scopes)
  const connection = await newConnection(desk, added)
  await desk.audit.record(entry(added, 'connected', missing.length === 0 ? {} : { missing }))
  await desk.store.put(connection)
  const settled =
    asked &&
    (await settleQuestion(
      desk,
      asked.id,
      person,
      missing.length === 0 ? { action: 'accept' } : { action: 'decline', reason: tooLittle },
    ))
  if (settled?.kind === 'late') {
    await restorePrevious(desk, connection, previous)
    return refuseLate(desk, added, previous, settled.elicitation)
  }
  const end = { provider, ...(settled && { elicitation: settled.elicitation }) }
  return missing.length === 0 ? { kind: 'connected', ...end } : { kind: 'too-little', missing, ...end }
}

async function newConnection(desk: ConnectionDesk, added: NewCredential): Promise<Connection> {
  const { person, credential, asked, by, expiresAt, account, issuedBy } = added
  const key = {
    id: randomUUID(),
    participant: person.participant,
    provider: added.provider.name,
    ...(issuedBy !== undefined && { issuedBy }),
  }
  const at = desk.clock.now()
  return {
    ...key,
    version: 1,
    scopes: [...added.scopes],
    standing: 'good',
    sealed: await sealCredential(desk, key, credential),
    ...(expiresAt !== undefined && { expiresAt }),
    renewable: credential.kind === 'tokens' && credential.refreshToken !== undefined,
    obtained: { at, by },
    ...(account !== undefined && { account }),
    connectedAt: at,
    ...(asked !== undefined && { elicitation: asked.id }),
  }
}

async function refuseLate(
  desk: ConnectionDesk,
  added: NewCredential,
  previous: Connection | undefined,
  elicitation: Elicitation,
): Promise<Completed> {
  await desk.audit.record(entry(added, 'connect-refused', { reason: 'late' }))
  // Many providers revoke everything that the person granted, so an older connection would be lost too.
  if (previous === undefined) await revokeAtProvider(desk, added.provider, added.credential, added.issuedBy)
  return { kind: 'late', elicitation }
}

/**
 * Restores the previous connection, by compare-and-set under the new id. A connection that was put there meanwhile
 * stays.
 */
async function restorePrevious(
  desk: ConnectionDesk,
  connection: Connection,
  previous: Connection | undefined,
): Promise<void> {
  if (previous === undefined) {
    await desk.store.remove(connection)
    return
  }
  const { id } = connection
  // Without the lease: a process that was renewing the previous connection cannot save under the new id.
  const { refreshingUntil, ...kept } = previous
  const sealed = await sealCredential(desk, { ...kept, id }, await openCredential(desk, previous))
  let current: Connection | undefined = connection
  while (current?.id === id) {
    if (await desk.store.saveIfUnchanged({ ...kept, id, version: current.version + 1, sealed })) return
    current = await desk.store.get(connection.participant, connection.provider)
  }
}

function entry(
  { provider, person, scopes, asked, by, issuedBy }: NewCredential,
  kind: AuditKind,
  more: AuditEntry['data'],
): AuditEntry {
  const data = {
    provider: provider.name,
    scopes: [...scopes],
    by,
    ...(issuedBy && { issuer: issuedBy.issuer }),
    ...more,
  }
  return { kind, who: person.participant, ...(asked && { about: asked.id }), data }
}
