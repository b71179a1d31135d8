import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { onTestFinished } from 'vitest'

export interface Issuer {
  issuer: string
  /** A token as the issuer signs it; claims that are undefined are left out. */
  mint(claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>
  /** How often something was asked of the issuer. */
  requests: string[]
  /** Answers every request with this status from now on. */
  fail(status: number, location?: string): void
  recover(): void
}

/** An issuer on loopback with one key. Its metadata is at the place that `metadataPath` says. */
export async function startIssuer(metadataPath = '/.well-known/openid-configuration'): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }]
  const requests: string[] = []
  let failure: { status: number; location: string } | undefined

  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    if (failure) {
      response.writeHead(failure.status, { location: failure.location }).end()
      return
    }
    const documents: Record<string, unknown> = {
      [metadataPath]: { issuer, jwks_uri: `${issuer}/keys` },
      '/keys': { keys },
    }
    const found = documents[request.url ?? '']
    response.writeHead(found ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(found ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    issuer,
    requests,
    mint(claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1_000)
      const usual = {
        iss: issuer,
        aud: 'https://assent.test/mcp',
        sub: 'ada',
        client_id: 'editor',
        iat: now,
        exp: now + 300,
      }
      const payload = JSON.parse(JSON.stringify({ ...usual, ...claims }))
      return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'one', ...header }).sign(privateKey)
    },
    fail(status, location = '') {
      failure = { status, location }
    },
    recover() {
      failure = undefined
    },
  }
}
