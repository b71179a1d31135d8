import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Assent } from '../../src/index.ts'
import { alice } from '../support/approval/a-call.ts'
import { audited } from '../support/approval/approving.ts'
import { type AskedClient, connect26 } from '../support/asking/asking-clients.ts'
import { gated } from '../support/gateway/gateways.ts'
import { readPolicy } from '../support/policies.ts'
import { promised } from '../support/server/servers.ts'
import { serverStores } from '../support/stores.ts'
import { balanced } from './balanced.ts'

const changes: Record<string, { by: (assent: Assent) => unknown; words: string }> = {
  'everything is paused': { by: ({ approvals }) => approvals.pause(alice), words: 'paused' },
  'the policy denies it': {
    by: ({ approvals }) => approvals.usePolicy(readPolicy({ default: 'deny' })),
    words: 'denied',
  },
}

/** A server of 2025 that opens a session only when it is let: a call that needs another one has to wait. */
async function slowServer() {
  const acted: string[] = []
  let opening: Promise<void> = Promise.resolve()
  let waiting = 0
  let sessions = 0
  const holding = promised()
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    const { id, method, params } = JSON.parse(await text(request))
    if (id === undefined) return response.writeHead(202).end()
    const answer = (body: object, headers = {}) =>
      response
        .writeHead(200, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
    switch (method) {
      case 'initialize': {
        waiting += 1
        await opening
        waiting -= 1
        sessions += 1
        const { protocolVersion } = params
        const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'slow', version: '1' } }
        return answer({ result }, { 'mcp-session-id': `session-${sessions}` })
      }
      case 'tools/list':
        return answer({ result: { tools: ['hold', 'act'].map((name) => ({ name, inputSchema: { type: 'object' } })) } })
      case 'tools/call':
        acted.push(params.name)
        if (params.name === 'hold') await holding.promise
        return answer({ result: { content: [{ type: 'text', text: `${params.name} done` }] } })
      default:
        return answer({ error: { code: -32601, message: 'Method not found' } })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return {
    acted,
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    waiting: () => waiting,
    /** Lets no session open until the returned function is called. */
    stopOpening() {
      const opened = promised()
      opening = opened.promise
      return () => opened.keep()
    },
    release: () => holding.keep(),
  }
}

const endOf = (calling: ReturnType<AskedClient['call']>) => calling.catch((error: Error) => ({ text: error.message }))

describe.each(Object.entries(changes))('%s', (_, { by, words }) => {
  test('while a call waits for a process: it is not sent', async () => {
    const program = fileURLToPath(new URL('../support/upstream/programs/old-stdio.js', import.meta.url))
    const upstreams = { up: { command: process.execPath, args: [program] } }
    const { assent, connect, gateway } = await gated(upstreams, { upstreamLimits: { processes: 1 } })
    const first = await connect(connect26, { only: 'up' })
    const busy = endOf(first.call('wait'))
    await expect.poll(() => gateway.upstreams()[0]?.state.inFlight).toBe(1)
    const second = await connect(connect26, { only: 'up' })
    const waiting = endOf(second.call('echo', { text: 'ran' }))
    await expect.poll(() => audited(assent, 'call-started')).toHaveLength(2)
    await by(assent)
    await first.close()
    expect((await waiting).text).toContain(words)
    expect(await audited(assent, 'call-refused')).toHaveLength(1)
    await busy
  })

  test.each(['allow', 'ask'] as const)('while a call waits for a session (%s): it is not sent', async (decide) => {
    const { acted, url, waiting, stopOpening, release } = await slowServer()
    const policy = { rules: [{ tool: 'act', decide }], default: 'allow', fallback: 'inbox' } as const
    const { assent, connect } = await gated({ up: { url } }, { assentOptions: { policy } })
    const client = await connect(connect26, { only: 'up' })
    client.answers(() => ({ action: 'accept', content: { choice: 'allow_once' } }))
    const busy = endOf(client.call('hold'))
    await expect.poll(() => acted).toEqual(['hold'])
    const open = stopOpening()
    const calling = endOf(client.call('act'))
    await expect.poll(waiting).toBe(1)
    await by(assent)
    open()
    expect((await calling).text).toContain(words)
    expect(acted).toEqual(['hold'])
    release()
    await busy
  })

  test.each(Object.entries(serverStores))(
    'while a call waits at another instance, on %s: it is not sent',
    async (_store, freshStore) => {
      const { acted, url, waiting, stopOpening, release } = await slowServer()
      const all = await balanced(await freshStore(), { up: { url } })
      const client = await all.connect(connect26)
      const busy = endOf(client.call('up__hold'))
      await expect.poll(() => acted).toEqual(['hold'])
      const open = stopOpening()
      const calls = [0, 1, 2].map((at) => {
        all.balancer.next(at)
        return endOf(client.call('up__act'))
      })
      await expect.poll(waiting).toBe(3)
      for (const { assent } of all.instances) await by(assent)
      open()
      for (const end of await Promise.all(calls)) expect(end.text).toContain(words)
      expect(acted).toEqual(['hold'])
      release()
      await busy
    },
  )
})
