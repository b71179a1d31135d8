import { expect, test } from 'vitest'
import { childEnvironment, proxiesWithCredentials } from '../../../src/gateway/upstream/stdio/environment.ts'

const network = {
  HTTP_PROXY: 'http://proxy.example.com:8080',
  HTTPS_PROXY: 'http://proxy.example.com:8080',
  NO_PROXY: 'localhost',
  http_proxy: 'http://proxy.example.com:8080',
  https_proxy: 'http://proxy.example.com:8080',
  no_proxy: 'localhost',
  NODE_EXTRA_CA_CERTS: '/etc/company.pem',
  SSL_CERT_FILE: '/etc/company.pem',
}

test('programs get what they need to reach the network, and no other variable of the gateway', () => {
  const own = { ...network, PATH: '/bin', API_KEY: 'secret', ASSENT_STORE: 'memory:', NPM_TOKEN: 'secret' }
  expect(childEnvironment(own)).toEqual({ ...network, PATH: '/bin' })
})

test('the settings of a server count more than what it inherits', () => {
  expect(childEnvironment(network, { HTTPS_PROXY: '' }).HTTPS_PROXY).toBe('')
})

test.each([
  ['http://proxy.example.com:8080', false],
  ['proxy.example.com:8080', false],
  ['http://proxy.example.com:8080/?to=a@b', false],
  ['http://user:password@proxy.example.com:8080', true],
  ['http://user@proxy.example.com', true],
  ['user:password@proxy.example.com:8080', true],
])('a proxy address of %s holds credentials: %s', (address, holds) => {
  expect(proxiesWithCredentials({ HTTPS_PROXY: address })).toEqual(holds ? ['HTTPS_PROXY'] : [])
})
