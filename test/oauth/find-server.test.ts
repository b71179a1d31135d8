import { expect, test } from 'vitest'
import { findServer } from '../../src/oauth/discovery/find-server.ts'
import { startOAuthServer } from '../support/oauth/oauth-server.ts'
import { fakeServer } from './fake-server.ts'

const onInternet = { reach: 'internet' } as const
const onPrivateNetwork = { reach: 'anywhere' } as const

test('a server on the internet cannot lead into this machine or a private network', async () => {
  const inside = await startOAuthServer()
  const { port } = new URL(inside.issuer)
  for (const issuer of [
    inside.issuer,
    `https://127.0.0.1:${port}`,
    `https://localhost:${port}`,
    `https://[::1]:${port}`,
    'https://10.0.0.1',
    'https://169.254.169.254',
    'https://user:secret@login.example.com',
    'file:///etc/passwd',
    'login',
  ]) {
    await expect(findServer(onInternet, issuer), issuer).rejects.toThrow('address_refused')
  }
  expect(inside.requests).toEqual([])
})

test('a server in a private network may lead to one there', async () => {
  const inside = await startOAuthServer()
  expect((await findServer(onPrivateNetwork, inside.issuer)).metadata.issuer).toBe(inside.issuer)
})

test.each([
  ['nothing of PKCE', undefined],
  ['the plain method only', ['plain']],
])('a server that says %s is not used', async (_, code_challenge_methods_supported) => {
  const server = await fakeServer((_arrived, url) => ({
    body: {
      issuer: url,
      authorization_endpoint: `${url}/auth`,
      token_endpoint: `${url}/token`,
      code_challenge_methods_supported,
    },
  }))
  await expect(findServer(onPrivateNetwork, server.url)).rejects.toThrow('no_pkce')
})

test('metadata that names another issuer is not used', async () => {
  const server = await fakeServer(() => ({ body: { issuer: 'https://login.example.com' } }))
  await expect(findServer(onPrivateNetwork, server.url)).rejects.toThrow('issuer_mismatch')
})
