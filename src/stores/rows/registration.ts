import type { Registration } from '../../connection/registration/registration.ts'
import { fromMs, fromName, type IntegerValue, toName } from './values.ts'

/** One registration as a SQL row. Names are encoded, since others choose them. */
export interface RegistrationRow<Integer = IntegerValue> {
  issuer: string
  resource: string
  client_id: string
  version: Integer
  sealed_key: string
  box: string
  details: string
}

interface Details {
  redirectUri: string
  registeredAt: number
  expiresAt?: number
}

export const registrationColumns = [
  'issuer',
  'resource',
  'client_id',
  'version',
  'sealed_key',
  'box',
  'details',
] as const

/** The inverse of `fromRegistrationRow`. */
export function toRegistrationRow(registration: Registration): RegistrationRow<number> {
  const { issuer, resource, clientId, version, sealed, redirectUri, registeredAt, expiresAt } = registration
  const details: Details = {
    redirectUri,
    registeredAt: registeredAt.getTime(),
    ...(expiresAt !== undefined && { expiresAt: expiresAt.getTime() }),
  }
  return {
    issuer: toName(issuer),
    resource: toName(resource),
    client_id: toName(clientId),
    version,
    sealed_key: sealed.key,
    box: sealed.box,
    details: JSON.stringify(details),
  }
}

/** The registration of a row. */
export function fromRegistrationRow(row: RegistrationRow): Registration {
  const { redirectUri, registeredAt, expiresAt }: Details = JSON.parse(row.details)
  return {
    issuer: fromName(row.issuer),
    resource: fromName(row.resource),
    version: Number(row.version),
    clientId: fromName(row.client_id),
    redirectUri,
    sealed: { key: row.sealed_key, box: row.box },
    registeredAt: fromMs(registeredAt),
    ...(expiresAt !== undefined && { expiresAt: fromMs(expiresAt) }),
  }
}
