import type { Sealed } from '../../base/seal.ts'

/** The client that an authorization server made for this installation, when it registered there by itself (RFC 7591). */
export interface Registration {
  readonly issuer: string
  /** The address that its tokens are for (RFC 8707). */
  readonly resource: string
  /** 1 at first, one more with each save. */
  readonly version: number
  readonly clientId: string
  readonly redirectUri: string
  /** A `RegisteredSecret` as JSON. */
  readonly sealed: Sealed
  readonly registeredAt: Date
  /** When its secret expires; absent if it has none, or the server did not say. */
  readonly expiresAt?: Date
}

/** How a registered client shows the server who it is. */
export interface RegisteredSecret {
  readonly authentication: 'client_secret_basic' | 'client_secret_post' | 'none'
  readonly clientSecret?: string
}

/** A registration, opened. */
export interface RegisteredClient
  extends RegisteredSecret,
    Pick<Registration, 'clientId' | 'redirectUri' | 'expiresAt'> {}

/** Stores registrations, one for each issuer and resource, for all processes. Never reads the clock. */
export interface RegistrationStore {
  get(issuer: string, resource: string): Promise<Registration | undefined>
  /** In any order. */
  list(limit: number): Promise<Registration[]>
  /** Saves version 1 only where there is none, a later one only over the version before. False: someone else was first. */
  saveIfUnchanged(next: Registration): Promise<boolean>
  /** Removes the registration of this client. False if it is not stored. */
  remove(registration: Pick<Registration, 'issuer' | 'resource' | 'clientId'>): Promise<boolean>
  /** Registrations whose secret is sealed under another key than `key`, in any order. */
  listSealedExcept(key: string, limit: number): Promise<Registration[]>
  /** Every key that some secret is sealed under. */
  sealingKeys(): Promise<string[]>
}

/** The associated data of the sealed secret, so that it can be opened for this registration only. */
export function registrationIdentity({
  issuer,
  resource,
  clientId,
}: Pick<Registration, 'issuer' | 'resource' | 'clientId'>) {
  return `registration/${JSON.stringify([issuer, resource, clientId])}`
}
