import { randomBytes } from 'node:crypto'
import type { Vault } from '../base/seal.ts'
import type { AuditStore } from './store.ts'

/** Where the audit key is kept, and what seals it. */
export interface AuditKeyPlace {
  store: AuditStore
  vault: Vault
}

const identity = 'audit-key'

/** The key of the whole audit. The first process creates it; it never changes, and all processes share it. */
export async function auditKey({ store, vault }: AuditKeyPlace): Promise<Buffer> {
  const sealed = (await store.findKey()) ?? (await store.keyFor(await sealNewKey(vault)))
  return Buffer.from(await vault.open(sealed, identity), 'base64url')
}

/** Seals the audit key under the vault's current key. False if it is already, or if another process just did it. */
export async function resealAuditKey({ store, vault }: AuditKeyPlace): Promise<boolean> {
  const sealed = await store.findKey()
  if (sealed === undefined || sealed.key === (await vault.currentKey())) return false
  return store.replaceKey(sealed, await vault.seal(await vault.open(sealed, identity), identity))
}

function sealNewKey(vault: Vault) {
  return vault.seal(randomBytes(32).toString('base64url'), identity)
}
