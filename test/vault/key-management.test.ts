import { join } from 'node:path'
import { expect, test } from 'vitest'
import { auditKey } from '../../src/audit/key.ts'
import { openAuditLog } from '../../src/audit/log.ts'
import { type Connection, credentialIdentity } from '../../src/connection/connection.ts'
import { type Flow, flowIdentity } from '../../src/connection/flow/flow.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { alice } from '../../src/testing/index.ts'
import { keyFile } from '../../src/vault/key-file.ts'
import { createKeyManagement } from '../../src/vault/key-management.ts'
import { createVault } from '../../src/vault/vault.ts'
import { temporaryFolder } from '../support/temporary.ts'

const at = new Date('2026-03-01T12:00:00Z')

/** An installation with its keys in a file. */
async function anInstallation() {
  const source = keyFile(join(await temporaryFolder(), 'keys'))
  const [vault, store] = [createVault(source), openMemoryStore()]
  const key = await auditKey({ store: store.audit, vault })
  const audit = openAuditLog({ store: store.audit, key, clock: fixedClock(at) })
  const { connections } = store
  const keys = createKeyManagement({ ...store, source, vault, auditStore: store.audit, audit })
  return { vault, connections, keys }
}

test('rotation seals credentials under the new key, and the old key can then be dropped', async () => {
  const { vault, connections, keys } = await anInstallation()
  const connection = aConnection({ key: '', box: '' })
  await connections.put({ ...connection, sealed: await vault.seal('token', credentialIdentity(connection)) })
  const [old] = await keys.list()

  const { key, resealed, failed } = await keys.rotate()
  expect({ resealed, failed }).toEqual({ resealed: 1, failed: [] })
  await keys.drop(old?.id ?? '')
  expect(await keys.list()).toEqual([{ id: key, seals: true, inUse: true }])
  const kept = await connections.get(alice, 'github')
  if (kept === undefined) return expect.unreachable()
  expect(await vault.open(kept.sealed, credentialIdentity(kept))).toBe('token')
})

test('a key is not dropped while a credential that cannot be resealed needs it', async () => {
  const { vault, connections, keys } = await anInstallation()
  await connections.put(aConnection(await vault.seal('token', 'elsewhere')))
  const [old] = await keys.list()

  expect((await keys.rotate()).failed).toEqual([{ id: `connection/${alice}/github/connection 1`, code: 'seal_broken' }])
  await expect(keys.drop(old?.id ?? '')).rejects.toMatchObject({ code: 'key_in_use' })
})

test('a key is not dropped while a person is at a provider, and can be dropped after they return', async () => {
  const { vault, connections, keys } = await anInstallation()
  await connections.addFlow(aFlow(await vault.seal('verifier', flowIdentity({ id: 'state' }))))
  const [old] = await keys.list()
  await keys.rotate()
  await expect(keys.drop(old?.id ?? '')).rejects.toMatchObject({ code: 'key_in_use' })

  const flow = await connections.takeFlow('state')
  if (flow === undefined) return expect.unreachable()
  expect(await vault.open(flow.sealed, flowIdentity(flow))).toBe('verifier')
  await keys.drop(old?.id ?? '')
})

function aConnection(sealed: Connection['sealed']): Connection {
  return {
    id: 'connection 1',
    version: 1,
    participant: alice,
    provider: 'github',
    scopes: [],
    standing: 'good',
    sealed,
    renewable: false,
    obtained: { at, by: 'consent' },
    connectedAt: at,
  }
}

function aFlow(sealed: Flow['sealed']): Flow {
  return {
    id: 'state',
    participant: alice,
    provider: 'github',
    browser: 'key',
    scopes: [],
    redirectUri: 'https://assent.example.com/oauth/callback',
    sealed,
    createdAt: at,
    expiresAt: at,
  }
}
