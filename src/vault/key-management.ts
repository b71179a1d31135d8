import { resealAuditKey } from '../audit/key.ts'
import type { AuditLog } from '../audit/log.ts'
import type { AuditStore } from '../audit/store.ts'
import { BadArgument } from '../base/errors.ts'
import type { Vault } from '../base/seal.ts'
import type { StepStore } from '../call/step.ts'
import type { RegistrationStore } from '../connection/registration/registration.ts'
import type { ConnectionStore } from '../connection/store.ts'
import type { ElicitationStore } from '../elicitation/store.ts'
import { KeyInUse } from './errors.ts'
import type { KeyFile } from './key-file.ts'
import type { KeySource } from './keys.ts'
import { type Resealed, type Resealing, resealAll } from './reseal.ts'

/** One key, without its secret. */
export interface KeyListing {
  readonly id: string
  /** New values are sealed under it. */
  readonly seals: boolean
  /** Some stored value is sealed under it. */
  readonly inUse: boolean
}

export interface Rotated extends Resealed {
  /** The key that everything is sealed under now. */
  readonly key: string
}

/** Lists, rotates and drops the keys of an installation. */
export interface KeyManagement {
  list(): Promise<KeyListing[]>
  /** Seals everything under a new key: one added to the key file, or the first of ASSENT_KEYS. Old keys still open. */
  rotate(progress?: Resealing['progress']): Promise<Rotated>
  /** Removes a key from the key file. Throws if something is sealed under it. */
  drop(id: string): Promise<void>
}

export interface KeyManagementParts {
  readonly source: KeySource | KeyFile
  readonly vault: Vault
  readonly elicitations: ElicitationStore
  readonly steps: StepStore
  readonly connections: ConnectionStore
  readonly registrations: RegistrationStore
  readonly auditStore: AuditStore
  readonly audit: AuditLog
}

export function createKeyManagement({
  source,
  vault,
  elicitations,
  steps,
  connections,
  registrations,
  auditStore,
  audit,
}: KeyManagementParts): KeyManagement {
  async function keysInUse(): Promise<Set<string>> {
    const auditKey = await auditStore.findKey()
    return new Set([
      ...(await elicitations.sealingKeys()),
      ...(await steps.sealingKeys()),
      ...(await connections.sealingKeys()),
      ...(await registrations.sealingKeys()),
      ...(auditKey ? [auditKey.key] : []),
    ])
  }

  return {
    async list() {
      const [{ byId, sealing }, inUse] = [await source.keys(), await keysInUse()]
      return [...byId.keys()].map((id) => ({ id, seals: id === sealing.id, inUse: inUse.has(id) }))
    },
    async rotate(progress) {
      if ('addKey' in source) await source.addKey()
      const key = await vault.currentKey()
      const sealed = { elicitations, steps, connections, registrations, vault }
      const resealed = await resealAll({ ...sealed, ...(progress ? { progress } : {}) })
      await resealAuditKey({ store: auditStore, vault })
      const data = { key, resealed: resealed.resealed, failed: resealed.failed.length }
      await audit.record({ kind: 'keys-rotated', data })
      return { key, ...resealed }
    },
    async drop(id) {
      if (!('dropKey' in source)) throw new BadArgument('These keys come from ASSENT_KEYS. Remove the key there.')
      if ((await keysInUse()).has(id)) throw new KeyInUse(id)
      await source.dropKey(id)
      await audit.record({ kind: 'key-dropped', data: { key: id } })
    },
  }
}
