import { FastifyAdapter } from '@nestjs/platform-fastify'
import { StreamableHttpTransport } from '@rekog/mcp-nest'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AssentTransport } from '../../src/nest/index.ts'
import { type Asked, type Connect, connect11, connect26, type Reply } from '../support/asking/asking-clients.ts'
import { nestApp } from './apps.ts'
import type { AppOptions } from './start-app.ts'

const eras = [
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
] as const
const ways: [string, () => AppOptions][] = [
  ["MCP-Nest's transport on Express", () => ({ transport: new StreamableHttpTransport({ statefulMode: true }) })],
  ["MCP-Nest's transport on Fastify", () => ({ adapter: () => new FastifyAdapter() })],
  ['AssentTransport on Express', () => ({ transport: new AssentTransport() })],
  ['AssentTransport on Fastify', () => ({ transport: new AssentTransport(), adapter: () => new FastifyAdapter() })],
]

describe.each(ways)('%s', (_, way) => {
  test.each(eras)('asks in tools, prompts and resources (%s)', async (_, how) => {
    const { url, elicitation } = await nestApp(way())
    const client = await closing(how, url)
    expect((await client.call('plain', { name: 'you' })).text).toBe('hello you, module')

    client.answers(() => ({ action: 'accept', content: { size: 'large' } }))
    expect(await client.call('order')).toMatchObject({ text: 'ordered large', isError: false })
    client.answers(() => ({ action: 'accept', content: { name: 'Ada' } }))
    expect((await client.call('form')).text).toBe('{"action":"accept","content":{"name":"Ada"}}')
    client.answers(() => ({ action: 'decline' }))
    expect((await client.call('form')).text).toBe('{"action":"decline"}')
    expect(await client.call('order')).toMatchObject({ isError: true, outcome: { status: 'declined' } })

    client.answers(() => ({ action: 'accept', content: { topic: 'bees' } }))
    expect(await client.prompt('brief')).toBe('About bees')
    client.answers(() => ({ action: 'accept', content: { confirm: true } }))
    expect(await client.read('notes://mine')).toBe('my notes')
    client.answers(() => ({ action: 'decline' }))
    await expect(client.read('notes://mine')).rejects.toThrow()

    client.answers(allowOnce)
    expect(await client.call('delete', { what: 'logs' })).toMatchObject({ text: 'deleted logs', isError: false })
    client.answers(deny)
    expect(await client.call('delete', { what: 'logs' })).toMatchObject({
      isError: true,
      outcome: { status: 'denied' },
    })
    const kinds = await auditKinds(elicitation)
    expect(kinds.filter((kind) => kind === 'call-started')).toHaveLength(1)
    expect(kinds.filter((kind) => kind === 'call-finished')).toHaveLength(1)
  })
})

const allowOnce = ({ requestedSchema }: Asked): Reply => ({
  action: 'accept',
  content: { ...choice(requestedSchema, 'allow_once') },
})
const deny = ({ requestedSchema }: Asked): Reply => ({
  action: 'accept',
  content: { ...choice(requestedSchema, 'deny') },
})
const choice = (schema: Asked['requestedSchema'], said: string) => (schema?.properties.choice ? { choice: said } : {})

async function auditKinds({ assent }: { assent: { exportAudit(): AsyncIterable<string> } }): Promise<string[]> {
  const kinds: string[] = []
  for await (const line of assent.exportAudit()) kinds.push(JSON.parse(line).event?.kind)
  return kinds
}

async function closing(how: Connect, url: URL, token?: string) {
  const client = await how({ url, ...(token !== undefined && { token }) })
  onTestFinished(() => client.close())
  return client
}
