import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { withElicitation } from '../../src/client/index.ts'
import { scriptedUi } from '../../src/testing/index.ts'
import {
  type Connect,
  connect2026,
  everyClient,
  fake2026,
  type Message,
  of2025,
  textOf,
} from '../support/client/clients.ts'
import { asking, say } from '../support/server/servers.ts'

interface Posted {
  readonly headers: Headers
  readonly message: Message
}

const greeting = () =>
  asking((server, { plainTool }) => {
    const greet = plainTool(async (ask) => say((await ask.form('Who?', z.object({ name: z.string() }))).name))
    server.registerTool('greet', {}, greet)
  })

/** Everything that a client posts during one call that asks for a name. */
async function greeted(name: string, connect: Connect): Promise<Posted[]> {
  const posted: Posted[] = []
  const recordingFetch = async (url: string | URL, init?: RequestInit) => {
    if (typeof init?.body === 'string')
      posted.push({ headers: new Headers(init.headers), message: JSON.parse(init.body) })
    return fetch(url, init)
  }
  const { url } = await greeting()
  const Http = name === 'SDK 1.32' ? OldHttp : StreamableHTTPClientTransport
  const ada = () => ({ action: 'accept', content: { name: 'Ada' } }) as const
  const client = await connect(new Http(url, { fetch: recordingFetch }) as Transport, scriptedUi({ form: [ada] }))
  expect(textOf(await client.callTool({ name: 'greet' }))).toBe('Ada')
  return posted
}

test('every request of 2026-07-28, also a retry, carries its version and capabilities (E26-01, B26-08, H26-03)', async () => {
  const posted = await greeted('SDK 2.4', connect2026)
  expect(posted.filter(({ message }) => message.method === 'tools/call')).toHaveLength(2)
  for (const { headers, message } of posted) {
    const meta = message.params?._meta as Record<string, unknown>
    expect(headers.get('mcp-protocol-version')).toBe('2026-07-28')
    expect(meta['io.modelcontextprotocol/protocolVersion']).toBe('2026-07-28')
    expect(meta['io.modelcontextprotocol/clientCapabilities']).toMatchObject({ elicitation: { form: {}, url: {} } })
  }
})

test('a client of 2026-07-28 posts requests and no responses, one per POST (B26-14, H26-07)', async () => {
  for (const { message } of await greeted('SDK 2.4', connect2026)) {
    expect(Array.isArray(message)).toBe(false)
    expect(message.method).toEqual(expect.any(String))
  }
})

test.each(everyClient)('%s reads replies as JSON and as SSE (H26-02)', async (name, connect) => {
  for (const { headers } of await greeted(name, connect)) {
    expect(headers.get('accept')).toContain('application/json')
    expect(headers.get('accept')).toContain('text/event-stream')
  }
})

describe.each(of2025)('%s', (name, connect) => {
  test('sends its session id and version once it has them, and posts its responses (H11-02, H11-04, H11-09, V11-01)', async () => {
    const [first, ...others] = await greeted(name, connect)
    expect(first?.message.method).toBe('initialize')
    const [session] = new Set(others.map(({ headers }) => headers.get('mcp-session-id')))
    expect(session).toEqual(expect.any(String))
    for (const { headers } of others) {
      expect([headers.get('mcp-session-id'), headers.get('mcp-protocol-version')]).toEqual([session, '2025-11-25'])
    }
    const answers = others.filter(({ message }) => message.method === undefined)
    expect(answers.map(({ message }) => message.result)).toEqual([{ action: 'accept', content: { name: 'Ada' } }])
  })
})

test('a cancelled call is cancelled on the wire, at any moment (X26-02)', async () => {
  let open = 0
  const url = await fake2026(async ({ signal }) => {
    open += 1
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    open -= 1
    return {}
  })
  const sdk = new Client({ name: 't', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  const client = withElicitation(sdk, scriptedUi(), { server: 'tested' })
  await sdk.connect(new StreamableHTTPClientTransport(url))
  const signals = [0, 1, 5, 20, 50].map((ms) => AbortSignal.timeout(ms))
  const calls = signals.map((signal) => client.callTool({ name: 'x' }, { signal }))
  for (const ended of await Promise.allSettled(calls)) expect(ended.status).toBe('rejected')
  await expect.poll(() => open).toBe(0)
  await sdk.close()
})
