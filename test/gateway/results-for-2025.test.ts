import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AskedClient, type Connect, connect11, connect26, connectOld } from '../support/asking/asking-clients.ts'
import { type Gated, gated, newServer } from '../support/gateway/gateways.ts'
import { connectByPipe } from '../support/gateway/pipes.ts'
import { say } from '../support/server/servers.ts'

const kept = { 'example.com/kept': 'yes' }
const _meta = { ...kept, 'io.modelcontextprotocol/related': 'not for 2025' }

/** A 2026 upstream whose every result says more than a 2025 client may hear. */
const upstream = () =>
  newServer((server) => {
    server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
      ...say(text),
      _meta,
    }))
    server.registerTool('bare', {}, () => say('bare'))
    server.registerPrompt('greet', {}, () => ({
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'hello' } }],
      _meta,
    }))
    server.registerResource('note', 'note://one', {}, ({ href }) => ({ contents: [{ uri: href, text: 'one' }], _meta }))
    server.server.registerCapabilities({ completions: {} })
    server.server.setRequestHandler('completion/complete', () => ({ completion: { values: ['main'] }, _meta }))
  })

const places: Record<string, (gate: Gated, how: Connect) => Promise<AskedClient>> = {
  '/mcp': (gate, how) => gate.connect(how),
  '/mcp/{server}': (gate, how) => gate.connect(how, { only: 'up' }),
  'a pipe': ({ gateway }, how) => connectByPipe(gateway, how),
}

/** The requests whose results an upstream makes, in the names of the place. */
function requestsAt(place: string): [string, Record<string, unknown>][] {
  const nameOf = (name: string) => (place === '/mcp/{server}' ? name : `up__${name}`)
  const echo = { name: nameOf('echo'), arguments: { text: 'hello' } }
  return [
    // The first call of a session is served by the SDK server, the second by the fast path, the third by the SDK server.
    ['tools/call', echo],
    ['tools/call', echo],
    ['tools/call', { ...echo, unknown: 1 }],
    ['prompts/get', { name: nameOf('greet') }],
    ['resources/read', { uri: 'note://one' }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: nameOf('greet') }, argument: { name: 'branch', value: 'm' } },
    ],
  ]
}

describe.each(Object.entries(places))('at %s', (place, connect) => {
  test.each([
    ['SDK 1.32', connectOld],
    ['SDK 2.4', connect11],
  ])('a 2025 client of %s gets results of a 2026 upstream without the words of 2026-07-28', async (_, how) => {
    const gate = await gated({ up: { url: await upstream() } })
    const client = await connect(gate, how)
    for (const [method, params] of requestsAt(place)) {
      const result = await client.request(method, params)
      expect({ method, _meta: result._meta }).toEqual({ method, _meta: kept })
    }
    const received = client.received()
    expect(received).not.toContain('resultType')
    expect(received).not.toContain('io.modelcontextprotocol/')
  })

  test('a 2025 client gets no _meta where nothing is left of it', async () => {
    const gate = await gated({ up: { url: await upstream() } })
    const client = await connect(gate, connect11)
    const params = { name: place === '/mcp/{server}' ? 'bare' : 'up__bare', arguments: {} }
    for (const more of [{}, {}, { unknown: 1 }])
      expect(await client.request('tools/call', { ...params, ...more })).toEqual(say('bare'))
  })

  test('a 2026 client gets them as they are', async () => {
    const gate = await gated({ up: { url: await upstream() } })
    const client = await connect(gate, connect26)
    for (const [method, params] of requestsAt(place)) {
      const before = client.received().length
      await client.request(method, params)
      const received = client.received().slice(before)
      expect({ method, complete: received.includes('"resultType":"complete"') }).toEqual({ method, complete: true })
      expect(received).toContain('example.com/kept')
    }
  })
})
