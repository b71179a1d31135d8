import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

const audience = 'https://assent.example.com'

/** A login, as the setting `auth` names it, and a token that it gave. */
export interface BenchLogin {
  readonly auth: object
  readonly token: string
  stop(): void
}

/** A server with the keys of an issuer. */
export async function startLogin(): Promise<BenchLogin> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'ES256', use: 'sig' }] })
  const server = createServer((_, reply) => reply.writeHead(200, { 'content-type': 'application/json' }).end(keys))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const token = await new SignJWT({ scope: 'tools', client_id: 'bench', groups: ['staff'] })
    .setProtectedHeader({ alg: 'ES256', kid: 'bench' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('somebody')
    .setExpirationTime('3h')
    .sign(privateKey)
  return { auth: { issuer, audience, jwksUri: `${issuer}/keys` }, token, stop: () => void server.close() }
}
