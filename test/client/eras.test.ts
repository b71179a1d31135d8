import { Client, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, onTestFinished, test } from 'vitest'
import { withElicitation } from '../../src/client/index.ts'
import { scriptedUi } from '../../src/testing/index.ts'
import { overStdio } from '../support/asking/asking-places.ts'
import { fake2025, type Message, Refusal, textOf, textResult } from '../support/client/clients.ts'
import { until } from '../support/server/servers.ts'

const ada = () => ({ action: 'accept', content: { branch: 'main' } }) as const

async function connectAuto(transport: Transport) {
  const sent: Message[] = []
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    sent.push(structuredClone(message) as Message)
    return send(message, options)
  }
  const sdk = new Client({ name: 't', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const client = withElicitation(sdk, scriptedUi({ form: [ada], consentToOpen: ['open'] }), { server: 'tested' })
  onTestFinished(() => sdk.close())
  await sdk.connect(transport)
  return { client, sdk, sent }
}

describe('a client that speaks both eras', () => {
  test.each([-32_601, -32_602, -32_603, -32_000])(
    'falls back to initialize when a server answers its probe with %i (V26-08)',
    async (code) => {
      const server = fake2025((_params, _server, { method }) => {
        if (method === 'tools/call') return textResult('old')
        throw new Refusal({ code, message: 'no such thing' })
      })
      const { client, sdk, sent } = await connectAuto(server.transport)
      expect(sdk.getNegotiatedProtocolVersion()).toBe('2025-11-25')
      expect(sent.slice(0, 2).map(({ method }) => method)).toEqual(['server/discover', 'initialize'])
      expect(textOf(await client.callTool({ name: 'x' }))).toBe('old')
    },
  )
})

describe('stdio', () => {
  async function onPipe() {
    const place = await overStdio()
    onTestFinished(() => place.close())
    if (!('args' in place.target)) throw new Error('It is no process.')
    const { args, env } = place.target
    const command = { command: process.execPath, args, env, stderr: 'pipe' as const }
    return connectAuto(new StdioClientTransport(command))
  }

  test('carries concurrent requests of 2026-07-28, and no responses from the client (T26-02, T26-05)', async () => {
    const { client, sdk, sent } = await onPipe()
    expect(sdk.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    const calls = [1, 2, 3].map(() => client.callTool({ name: 'branch' }))
    expect((await Promise.all(calls)).map(textOf)).toEqual(['on main', 'on main', 'on main'])
    expect(sent.every(({ method }) => method !== undefined)).toBe(true)
    expect(sent.filter(({ method }) => method === 'tools/call')).toHaveLength(6)
  })

  test('carries a notification when a call is cancelled (T26-03)', async () => {
    const { client, sent } = await onPipe()
    const leaving = new AbortController()
    const calling = client.callTool({ name: 'charge', arguments: { text: 'x' } }, { signal: leaving.signal })
    const calls = () => sent.filter(({ method }) => method === 'tools/call')
    // The server holds the second request while the person is on the page.
    await until(() => calls().length === 2)
    leaving.abort()
    await expect(calling).rejects.toMatchObject({ name: 'AbortError' })
    await until(() => sent.some(({ method }) => method === 'notifications/cancelled'))
    expect(sent.at(-1)?.params).toMatchObject({ requestId: calls()[1]?.id })
  })
})
