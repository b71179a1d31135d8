import { expect, test } from 'vitest'
import { acceptHosts, addressList, isLocalSocket, networkOf, sourceAddress } from '../../src/base/request-source.ts'

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

test.each([
  ['203.0.113.9', '1.1.1.1', '203.0.113.9'],
  ['10.0.0.1', '', '10.0.0.1'],
  ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['::ffff:10.0.0.1', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
  ['10.0.0.1', '1.1.1.1,203.0.113.9 , 10.9.9.9', '203.0.113.9'],
  ['10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
  ['10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
  ['10.0.0.1', '2001:db8::1', '2001:db8::1'],
  ['fd00::5', 'x, ::ffff:203.0.113.9', '203.0.113.9'],
  ['10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
  ['10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.2'],
  ['unknown', '203.0.113.9', 'unknown'],
])('a request from %s that was forwarded for %j came from %s', (socket, hops, source) => {
  expect(sourceAddress(socket, hops, addressList(['10.0.0.0/8', 'fd00::/8']))).toBe(source)
})

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['127.0.0.1', 'loopback'],
  ['127.9.9.9', 'loopback'],
  ['::1', 'loopback'],
  ['2001:db8:0:2::1', '2001:db8:0:2::/64'],
  ['2001:DB8:0:2:3:4:5:6', '2001:db8:0:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['::5', '0:0:0:0::/64'],
  ['unknown', 'unknown'],
])('%s is counted as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
