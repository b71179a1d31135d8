import { expect, test } from 'vitest'
import { createEvents } from '../../src/base/events.ts'
import type { GatewayNews } from '../../src/call/news.ts'
import { createNegotiations } from '../../src/gateway/downstream/negotiations.ts'
import { createCompletions } from '../../src/gateway/forward/completions.ts'
import { connect11 } from '../support/asking/asking-clients.ts'
import { gated, newServer } from '../support/gateway/gateways.ts'

test('what a client says of itself is remembered cut', () => {
  const news = createEvents<GatewayNews>()
  const told: GatewayNews[] = []
  news.listen((one) => void told.push(one))
  const long = 'x'.repeat(100_000)
  const declared = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${n} ${long}`, {}]))
  createNegotiations(news).client({ clientInfo: { name: long, version: long }, declared, version: long })
  expect(JSON.stringify(told).length).toBeLessThan(12_000)
})

test('the id of a page that is too long to be remembered is not', async () => {
  const completions = createCompletions()
  const known = 'x'.repeat(1_024)
  completions.tell(known)
  completions.tell(`${known}x`)
  const stopping = new AbortController()
  const found = (id: string) => completions.wait([id], 60_000, stopping.signal).then(() => 'done')
  const soon = new Promise((resolve) => setTimeout(resolve, 50, 'not done'))
  expect(await Promise.race([found(known), soon])).toBe('done')
  expect(await Promise.race([found(`${known}x`), soon])).toBe('not done')
  stopping.abort()
})

test('a client may subscribe to so many resources of a server, and to no more', async () => {
  const url = await newServer((server) => {
    server.registerTool('echo', {}, async () => ({ content: [] }))
    server.registerResource('one', 'file:///one', {}, async () => ({ contents: [] }))
  })
  const { connect } = await gated({ up: { url } }, { limits: { subscriptions: 2 } })
  const client = await connect(connect11, { only: 'up' })
  const subscribe = (uri: string) => client.request('resources/subscribe', { uri })
  await subscribe('file:///one')
  await subscribe('file:///two')
  await subscribe('file:///one')
  await expect(subscribe('file:///three')).rejects.toThrow('A client may subscribe to 2 resources of one server.')
  await client.request('resources/unsubscribe', { uri: 'file:///two' })
  await subscribe('file:///three')
})

test('a log level that does not exist is refused', async () => {
  const url = await newServer((server) => {
    server.registerTool('echo', {}, async () => ({ content: [] }))
  })
  const { connect } = await gated({ up: { url } })
  const client = await connect(connect11)
  await client.request('logging/setLevel', { level: 'warning' })
  await expect(client.request('logging/setLevel', { level: 'x'.repeat(100_000) })).rejects.toThrow()
})
