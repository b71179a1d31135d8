import type { IncomingMessage, ServerResponse } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { measuredWithMinorCollections } from '../../support/measure/garbage.ts'
import { compiled } from '../../support/programs.ts'
import { listening } from '../../support/server/servers.ts'
import { aClient, at, call, opened, programOf, textOf } from './upstreams.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

async function heapAfter(calls: number, act: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < calls; n++) await act()
  collect()
  return process.memoryUsage().heapUsed
}

/** A minimal server of either era that answers by a stream. */
const cheapServer = (perRequest: boolean) =>
  listening((req: IncomingMessage, res: ServerResponse) => {
    if (req.method !== 'POST') return void res.writeHead(405).end()
    let body = ''
    req.on('data', (chunk) => {
      body += chunk
    })
    req.on('end', () => {
      const { id, method } = JSON.parse(body)
      if (id === undefined) return void res.writeHead(202).end()
      const result = {
        initialize: { protocolVersion: '2025-11-25', capabilities: {} },
        'server/discover': perRequest ? { supportedVersions: ['2026-07-28'], capabilities: {} } : undefined,
        'tools/call': { content: [{ type: 'text', text: 'x' }] },
      }[method as 'initialize']
      const answer = { jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: '' } }) }
      res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Mcp-Session-Id': 's' })
      res.end(`data: ${JSON.stringify(answer)}\n\n`)
    })
  })

test.each([
  ['HTTP of 2025', () => cheapServer(false).then(at)],
  ['HTTP of 2026', () => cheapServer(true).then(at)],
  ['a program', async () => programOf('rough-stdio')],
] as const)('ten thousand calls over %s leave nothing in memory', async (_, settings) => {
  const upstream = opened(await settings())
  // One signal for all calls, like the signal of a client's session: listeners that stay would pile up on it.
  const { signal } = new AbortController()
  const once = async () => {
    const params = { _meta: { progressToken: 'p' } }
    expect(textOf(await call(upstream, 'x', {}, { ...aClient, params, signal, hooks: { progress() {} } }))).toBe('x')
  }

  const before = await heapAfter(1_000, once)
  const after = await heapAfter(10_000, once)
  expect(after - before).toBeLessThan(2_000_000)
  expect(upstream.state()).toMatchObject({ inFlight: 0, dropped: 0 })
})

test('the objects of a call are freed by a minor garbage collection: no old object refers to them', async () => {
  const program = compiled(new URL('../../support/upstream/programs/young.ts', import.meta.url))
  // With a `Map` of the requests in flight, they are some 55,000 bytes for each call.
  expect(await measuredWithMinorCollections(program)).toBeLessThan(5_000)
})

test('a session keeps nothing of the request that it was opened for', async () => {
  const upstream = opened(at(await cheapServer(false)))
  const firstCall = async () => {
    const hooks = { progress() {} }
    expect(textOf(await call(upstream, 'x', {}, { ...aClient, hooks }))).toBe('x')
    return new WeakRef(hooks)
  }
  const hooks = await firstCall()
  // What was just waited for is let go with the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(hooks.deref()).toBeUndefined()
  expect(upstream.state().open).toBe(1)
})
