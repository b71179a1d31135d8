import { expect, test } from 'vitest'
import { acceptHosts, isLocalSocket } from '../../src/base/request-source.ts'

test.each([
  ['127.0.0.1', true],
  ['127.8.0.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['127.0.0.1.evil', false],
  ['', false],
  [undefined, false],
])('a socket from %s is local: %s', (address, isLocal) => {
  expect(isLocalSocket(address)).toBe(isLocal)
})

test.each([
  ['localhost:4180', true],
  ['127.0.0.1:4180', true],
  ['[::1]:4180', true],
  ['LOCALHOST', true],
  ['assent.example.com', true],
  ['evil.example.com', false],
  ['localhost.evil.example', false],
  ['evil.example/@localhost', false],
  ['', false],
  ['a b', false],
])('a request for the host %j is accepted: %s', (host, isAccepted) => {
  const isHostAccepted = acceptHosts(['assent.example.com'])
  expect(isHostAccepted({ url: 'http://localhost/', headers: new Headers({ host }) })).toBe(isAccepted)
})

test('a request without a Host header is judged by its url', () => {
  const isHostAccepted = acceptHosts([])
  const headers = new Headers()
  expect(isHostAccepted({ url: 'http://localhost/', headers })).toBe(true)
  expect(isHostAccepted({ url: 'http://evil.example/', headers })).toBe(false)
})
