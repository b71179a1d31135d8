import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getHeapStatistics } from 'node:v8'
import { systemClock } from '../../../../src/base/clock.ts'
import { Budget } from '../../../../src/base/limits/budget.ts'
import { Stop } from '../../../../src/gateway/call/fast-path/captured-call.ts'
import { openUpstream } from '../../../../src/gateway/upstream/open.ts'
import { defaultUpstreamLimits } from '../../../../src/gateway/upstream/options.ts'
import { ProcessSlots } from '../../../../src/gateway/upstream/stdio/process-slots.ts'

/**
 * Calls a 2026-07-28 server, runs minor garbage collections only, and prints by how many bytes per call the heap grew.
 */
const server = createServer((request, reply) => {
  let text = ''
  request.on('data', (chunk) => {
    text += chunk
  })
  request.on('end', () => {
    const { id, method } = JSON.parse(text) as { id: number; method: string }
    const result =
      method === 'server/discover' ? { supportedVersions: ['2026-07-28'], capabilities: {} } : { content: [] }
    reply.writeHead(200, { 'content-type': 'text/event-stream' })
    reply.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } })}\n\n`)
    // A moment later, as real servers do, so that the response is read while its stream is still open.
    setImmediate(() => reply.end())
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
const upstreamContext = {
  clock: systemClock,
  self: { name: 'test', version: '0' },
  limits: defaultUpstreamLimits,
  slots: new ProcessSlots(1),
  messages: new Budget(1_000_000, 1_000_000),
}
const upstream = openUpstream({ name: 'up', url }, upstreamContext)

async function call(): Promise<void> {
  const held = new Array<number>(10_000).fill(0.5)
  await upstream.request({
    requester: { participant: 'local' as never, client: 'local' },
    capabilities: {},
    method: 'tools/call',
    params: { name: 'echo', arguments: {} },
    // An AbortSignal keeps its listeners until the next full collection, so the fast path does not use one either.
    signal: new Stop(),
    hooks: { progress: () => held },
  })
}

/**
 * Calls in batches. After each batch nothing is in flight, and minor collections make everything alive old, including
 * the tables of maps. A table that is then replaced is old garbage, and must not keep what later calls put into the next.
 */
async function calls(count: number): Promise<void> {
  for (let n = 0; n < count; n += 50) {
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        for (let m = 0; m < 5; m++) await call()
      }),
    )
    // The last streams end a few turns later.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    for (let time = 0; time < 3; time++) globalThis.gc?.({ type: 'minor' } as never)
  }
}

await calls(500)
globalThis.gc?.()
const before = getHeapStatistics().used_heap_size
const count = 2_000
await calls(count)
process.stdout.write(String((getHeapStatistics().used_heap_size - before) / count))
await upstream.close()
server.close()
