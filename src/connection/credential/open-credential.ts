import { type Connection, type ConnectionKey, credentialIdentity } from '../connection.ts'
import type { ConnectionDesk } from '../desk.ts'
import type { Credential } from './credential.ts'

/** Seals a credential for one connection. */
export function sealCredential({ vault }: Pick<ConnectionDesk, 'vault'>, key: ConnectionKey, credential: Credential) {
  return vault.seal(JSON.stringify(credential), credentialIdentity(key))
}

/** Opens the credential of a connection, for one use. */
export async function openCredential(
  { vault }: Pick<ConnectionDesk, 'vault'>,
  connection: ConnectionKey & Pick<Connection, 'sealed'>,
): Promise<Credential> {
  return JSON.parse(await vault.open(connection.sealed, credentialIdentity(connection)))
}
