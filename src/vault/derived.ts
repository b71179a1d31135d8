import { createSecretKey, hkdfSync } from 'node:crypto'
import type { Vault } from '../base/seal.ts'
import { createVault } from './vault.ts'

/** A vault whose key follows from a secret that never changes, so that what it seals needs no resealing. */
export function derivedVault(secret: Buffer, purpose: string): Vault {
  const sealing = { id: purpose, secret: createSecretKey(derive(secret, `${purpose} vault`, 32)) }
  const keyring = { sealing, byId: new Map([[sealing.id, sealing]]) }
  return createVault({ keys: async () => keyring, reload: async () => keyring })
}

/** Bytes for one purpose, which reveal nothing of the secret or of other purposes. */
export function derive(secret: Buffer, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `assent/${purpose}`, bytes))
}
