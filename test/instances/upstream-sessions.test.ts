import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ListResourcesRequestSchema, SubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Holding } from '../../src/instance/holding.ts'
import { type AskedClient, type Connect, connect11, connect26, connectOld } from '../support/asking/asking-clients.ts'
import { oldServer, program } from '../support/gateway/gateways.ts'
import { serverStores } from '../support/stores.ts'
import { type Balanced, balanced } from './balanced.ts'

/** A server of 2025 over HTTP that counts the calls of each session. */
async function countingServer() {
  const asked = { sessions: 0 }
  const url = await oldServer((server: OldServer) => {
    asked.sessions += 1
    let calls = 0
    server.registerTool('count', {}, () => {
      calls += 1
      return { content: [{ type: 'text', text: `${calls}` }] }
    })
    server.registerTool('wait', {}, async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      return { content: [{ type: 'text', text: 'stopped' }] }
    })
    server.registerTool('steps', {}, async ({ sendNotification, _meta }) => {
      for (const progress of [1, 2, 3]) {
        const params = { progressToken: _meta?.progressToken ?? '', progress }
        await sendNotification({ method: 'notifications/progress', params })
      }
      return { content: [{ type: 'text', text: 'stepped' }] }
    })
  })
  return { url, asked }
}

/** Connects, calls once, and finds out at which place the instance is that holds the session from then on. */
async function connectedTo(all: Balanced, how: Connect): Promise<{ client: AskedClient; holder: 0 | 1 | 2 }> {
  const client = await all.connect(how)
  const holders: string[] = []
  for (const { assent } of all.instances) {
    const { holdings } = assent.store
    const save = holdings.saveIfUnchanged
    Object.assign(holdings, {
      async saveIfUnchanged(next: Holding) {
        const isSaved = await save.call(holdings, next)
        if (isSaved) holders.push(next.holder)
        return isSaved
      },
    })
  }
  expect((await client.call('up__count')).text).toBe('1')
  return { client, holder: all.instances.findIndex(({ gateway }) => gateway.instance === holders.at(-1)) as 0 | 1 | 2 }
}

describe.each(Object.entries(serverStores))('on %s', (_, freshStore) => {
  test.each(Object.entries({ connect11, connectOld, connect26 }))(
    'a server that keeps state in its session has one session for a client, whichever instance is called, by %s',
    async (_, how) => {
      const { url } = await countingServer()
      const all = await balanced(await freshStore(), { up: { url } })
      const client = await all.connect(how)
      const counts: string[] = []
      for (let n = 0; n < 6; n++) counts.push((await client.call('up__count')).text)
      expect(counts).toEqual(['1', '2', '3', '4', '5', '6'])
      expect(new Set(all.balancer.sent.map(({ at }) => at)).size).toBe(3)
    },
  )

  test('its session goes on at another instance after the one that held it has stopped', async () => {
    const { url } = await countingServer()
    const all = await balanced(await freshStore(), { up: { url } })
    const { client, holder } = await connectedTo(all, connect11)
    await all.instances[holder].gateway.close()
    all.balancer.drop(holder)
    expect((await client.call('up__count')).text).toBe('2')
    expect((await client.call('up__count')).text).toBe('3')
  })

  test('a program has one process for a client, and a new one after its instance has stopped', async () => {
    const all = await balanced(await freshStore(), { up: program('counting.ts') })
    const { client, holder } = await connectedTo(all, connect11)
    const counts: string[] = []
    for (let n = 0; n < 5; n++) counts.push((await client.call('up__count')).text)
    expect(counts).toEqual(['2', '3', '4', '5', '6'])
    await all.instances[holder].gateway.close()
    all.balancer.drop(holder)
    expect((await client.call('up__count')).text).toBe('1')
    expect((await client.call('up__count')).text).toBe('2')
  })

  test('progress and cancellation reach through the instance that holds the session', async () => {
    const { url } = await countingServer()
    const all = await balanced(await freshStore(), { up: { url } })
    const { client, holder } = await connectedTo(all, connect11)
    for (const at of [0, 1, 2]) {
      all.balancer.next(at)
      const steps: number[] = []
      const result = await client.call('up__steps', {}, { onprogress: ({ progress }) => void steps.push(progress) })
      expect(result.text).toBe('stepped')
      expect(steps).toEqual([1, 2, 3])
    }
    const stopping = new AbortController()
    all.balancer.next(holder + 1)
    const calling = client.call('up__wait', {}, { signal: stopping.signal }).catch(() => 'cancelled')
    const inFlight = () => all.instances[holder].gateway.upstreams()[0]?.state.inFlight
    await expect.poll(inFlight).toBe(1)
    stopping.abort()
    expect(await calling).toBe('cancelled')
    await expect.poll(inFlight).toBe(0)
  })

  test('a subscription to a resource is one for all instances', async () => {
    const tell: (() => Promise<void>)[] = []
    const wanted: string[] = []
    const url = await oldServer(({ server }: OldServer) => {
      server.registerCapabilities({ resources: { subscribe: true } })
      server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [{ uri: 'note://one', name: 'one' }] }))
      server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
        wanted.push(params.uri)
        tell.push(() => server.sendResourceUpdated({ uri: params.uri }))
        return {}
      })
    })
    const all = await balanced(await freshStore(), { up: { url } })
    const client = new Client({ name: 'subscribing', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
    const heard: string[] = []
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
    await client.connect(new StreamableHTTPClientTransport(all.balancer.url))
    onTestFinished(() => client.close())
    for (const _ of all.instances) await client.listResources()
    await client.subscribeResource({ uri: 'note://one' })
    expect(wanted).toEqual(['note://one'])
    await expect
      .poll(async () => {
        await tell[0]?.()
        return heard.length
      })
      .toBeGreaterThan(0)
    expect(new Set(heard)).toEqual(new Set(['note://one']))
  })
})
