import type { AuditLog } from '../../audit/log.ts'
import type { Clock } from '../../base/clock.ts'
import type { Vault } from '../../base/seal.ts'
import {
  type RegisteredClient,
  type RegisteredSecret,
  type Registration,
  type RegistrationStore,
  registrationIdentity,
} from './registration.ts'

/** The registrations of this installation, which all its processes share. */
export interface Registrations {
  get(issuer: string, resource: string): Promise<RegisteredClient | undefined>
  /** Keeps a new client. Returns the one that another process kept first, if there is one. */
  keep(issuer: string, resource: string, client: RegisteredClient): Promise<RegisteredClient>
  /** Forgets a client, unless another has taken its place. */
  forget(issuer: string, resource: string, clientId: string): Promise<void>
}

interface Parts {
  readonly store: RegistrationStore
  readonly vault: Vault
  readonly audit: Pick<AuditLog, 'record'>
  readonly clock: Clock
}

/** Keeps what authorization servers gave this installation. Secrets are sealed, and bound to their registration. */
export function createRegistrations({ store, vault, audit, clock }: Parts): Registrations {
  async function opened(kept: Registration): Promise<RegisteredClient> {
    const { clientId, redirectUri, expiresAt } = kept
    const secret: RegisteredSecret = JSON.parse(await vault.open(kept.sealed, registrationIdentity(kept)))
    return { ...secret, clientId, redirectUri, ...(expiresAt !== undefined && { expiresAt }) }
  }

  async function get(issuer: string, resource: string): Promise<RegisteredClient | undefined> {
    const kept = await store.get(issuer, resource)
    return kept && opened(kept)
  }

  return {
    get,
    async keep(issuer, resource, client) {
      const { clientId, redirectUri, expiresAt, authentication, clientSecret } = client
      const secret: RegisteredSecret = { authentication, ...(clientSecret !== undefined && { clientSecret }) }
      const saved = await store.saveIfUnchanged({
        issuer,
        resource,
        version: 1,
        clientId,
        redirectUri,
        sealed: await vault.seal(JSON.stringify(secret), registrationIdentity({ issuer, resource, clientId })),
        registeredAt: clock.now(),
        ...(expiresAt !== undefined && { expiresAt }),
      })
      if (!saved) return (await get(issuer, resource)) ?? client
      await audit.record({ kind: 'client-registered', data: { issuer, resource, clientId } })
      return client
    },
    async forget(issuer, resource, clientId) {
      if (!(await store.remove({ issuer, resource, clientId }))) return
      await audit.record({ kind: 'client-forgotten', data: { issuer, resource, clientId } })
    },
  }
}
