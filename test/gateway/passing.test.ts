import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { completable as oldCompletable } from '@modelcontextprotocol/sdk/server/completable.js'
import { completable } from '@modelcontextprotocol/server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import * as z3 from 'zod/v3'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { say, until } from '../support/server/servers.ts'

const eras = [
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
] as const

/** A plain client of SDK 2.4 that writes down what it hears. */
async function plainClient(url: URL, mode: (typeof eras)[number][1]) {
  const client = new Client(
    { name: 'tester', version: '1' },
    { capabilities: { sampling: {}, roots: { listChanged: true } }, versionNegotiation: { mode } },
  )
  const heard: { method: string; params?: Record<string, unknown> | undefined }[] = []
  for (const method of [
    'notifications/tools/list_changed',
    'notifications/resources/updated',
    'notifications/message',
  ] as const)
    client.setNotificationHandler(method, ({ params }) => {
      heard.push({ method, params })
    })
  client.setRequestHandler('sampling/createMessage', () => ({
    model: 'm',
    role: 'assistant',
    content: { type: 'text', text: 'from the model' },
  }))
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///here' }] }))
  await client.connect(new StreamableHTTPClientTransport(url))
  onTestFinished(() => client.close())
  return { client, heard }
}

/** One upstream of each era with one of everything that is passed on. */
const upstreams = {
  '2025': async () => {
    const begun: string[] = []
    const cancelled: string[] = []
    const rootsChanged: string[] = []
    const url = await oldServer((mcp) => {
      const { server } = mcp
      server.registerCapabilities({ logging: {}, resources: { subscribe: true, listChanged: true } })
      mcp.registerTool('progress', {}, async ({ _meta, sendNotification }) => {
        for (const progress of [1, 2, 3]) {
          const params = { progressToken: _meta?.progressToken as string, progress, total: 3 }
          if (_meta?.progressToken !== undefined) await sendNotification({ method: 'notifications/progress', params })
        }
        return say(String(_meta?.['example.com/trace']))
      })
      mcp.registerTool('slow', {}, async ({ signal }) => {
        begun.push('slow')
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        cancelled.push('slow')
        return say('too late')
      })
      mcp.registerTool('log', {}, async ({ sendNotification }) => {
        for (const level of ['debug', 'error'] as const)
          await sendNotification({ method: 'notifications/message', params: { level, data: `a ${level}` } })
        return say('logged')
      })
      mcp.registerTool('model', {}, async () => {
        const { content } = await server.createMessage({ messages: [], maxTokens: 10 })
        return say((content as { text: string }).text)
      })
      mcp.registerTool('roots', {}, async () => say((await server.listRoots()).roots.map(({ uri }) => uri).join()))
      mcp.registerTool('grow', {}, async () => {
        mcp.registerTool(`grown`, {}, async () => say('grown'))
        return say('ok')
      })
      mcp.registerTool('touch', {}, async () => {
        await server.sendResourceUpdated({ uri: 'note://one' })
        return say('ok')
      })
      mcp.registerResource('note', 'note://one', {}, async ({ href }) => ({ contents: [{ uri: href, text: 'x' }] }))
      mcp.registerPrompt('p', { argsSchema: { city: oldCompletable(z3.string(), () => ['Bonn']) } }, async () => ({
        messages: [],
      }))
      for (const method of ['resources/subscribe', 'resources/unsubscribe'])
        server.setRequestHandler(z.object({ method: z.literal(method) }) as never, async () => ({}))
      server.setNotificationHandler(
        z.object({ method: z.literal('notifications/roots/list_changed') }) as never,
        async () => void rootsChanged.push('changed'),
      )
    })
    return { url, begun, cancelled, rootsChanged }
  },
  '2026': async () => {
    const begun: string[] = []
    const cancelled: string[] = []
    let hasGrown = false
    const url = await newServer((mcp, notify) => {
      mcp.registerTool('progress', {}, async ({ mcpReq }) => {
        const progressToken = mcpReq._meta?.progressToken
        for (const progress of [1, 2, 3])
          if (progressToken !== undefined)
            await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } })
        return say(String(mcpReq._meta?.['example.com/trace']))
      })
      mcp.registerTool('slow', {}, async ({ mcpReq }) => {
        begun.push('slow')
        await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve))
        cancelled.push('slow')
        return say('too late')
      })
      mcp.registerTool('log', {}, async ({ mcpReq }) => {
        for (const level of ['debug', 'error'] as const) await mcpReq.log(level, `a ${level}`)
        return say('logged')
      })
      mcp.registerTool('model', {}, ({ mcpReq }) => {
        const given = mcpReq.inputResponses?.it as { content?: { text: string } } | undefined
        if (given !== undefined) return say(String(given.content?.text))
        const it = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 10 } }
        return { resultType: 'input_required', inputRequests: { it } } as never
      })
      mcp.registerTool('roots', {}, ({ mcpReq }) => {
        const given = mcpReq.inputResponses?.it as { roots?: { uri: string }[] } | undefined
        if (given !== undefined) return say(given.roots?.map(({ uri }) => uri).join() ?? '')
        return { resultType: 'input_required', inputRequests: { it: { method: 'roots/list', params: {} } } } as never
      })
      mcp.registerTool('grow', {}, () => {
        hasGrown = true
        notify().toolsChanged()
        return say('ok')
      })
      if (hasGrown) mcp.registerTool('grown', {}, () => say('grown'))
      mcp.registerTool('touch', {}, () => {
        notify().resourceUpdated('note://one')
        return say('ok')
      })
      mcp.registerResource('note', 'note://one', {}, ({ href }) => ({ contents: [{ uri: href, text: 'x' }] }))
      mcp.registerPrompt('p', { argsSchema: z.object({ city: completable(z.string(), () => ['Bonn']) }) }, () => ({
        messages: [],
      }))
    })
    return { url, begun, cancelled, rootsChanged: [] as string[] }
  },
}

describe.each(Object.entries(upstreams))('between an upstream of %s', (era, start) => {
  describe.each(eras)('and a client of %s', (revision, mode) => {
    const meet = async () => {
      const up = await start()
      const { url, gateway } = await gated({ up: { url: up.url } })
      return { ...up, gateway, at: url, ...(await plainClient(url, mode)) }
    }
    const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text

    test('progress and what else comes along with a request pass', async () => {
      const { client } = await meet()
      const seen: number[] = []
      const result = await client.callTool(
        { name: 'up__progress', arguments: {}, _meta: { 'example.com/trace': 't-1' } },
        { onprogress: ({ progress }) => seen.push(progress) },
      )
      expect(textOf(result)).toBe('t-1')
      await until(() => seen.length === 3)
      expect(seen).toEqual([1, 2, 3])
    })

    test('a call that is cancelled is cancelled upstream', async () => {
      const { client, begun, cancelled } = await meet()
      const controller = new AbortController()
      const calling = client.callTool({ name: 'up__slow', arguments: {} }, { signal: controller.signal })
      calling.catch(() => {})
      await until(() => begun.length === 1)
      controller.abort()
      await expect(calling).rejects.toThrow()
      await until(() => cancelled.length === 1)
    })

    test('sampling and roots pass', async () => {
      const { client } = await meet()
      expect(textOf(await client.callTool({ name: 'up__model', arguments: {} }))).toBe('from the model')
      expect(textOf(await client.callTool({ name: 'up__roots', arguments: {} }))).toBe('file:///here')
    })

    test('completion passes', async () => {
      const { client } = await meet()
      const ref = { type: 'ref/prompt' as const, name: 'up__p' }
      const { completion } = await client.complete({ ref, argument: { name: 'city', value: 'B' } })
      expect(completion.values).toEqual(['Bonn'])
    })

    test('log lines pass as loud as they are wanted', async () => {
      const { client, heard } = await meet()
      const logged = () => heard.filter(({ method }) => method === 'notifications/message')
      if (revision === '2025-11-25') {
        await client.setLoggingLevel('error')
        await client.callTool({ name: 'up__log', arguments: {} })
      } else {
        await client.callTool({ name: 'up__log', arguments: {} })
        expect(logged()).toEqual([])
        const _meta = { 'io.modelcontextprotocol/logLevel': 'error' }
        await client.callTool({ name: 'up__log', arguments: {}, _meta })
      }
      await until(() => logged().length > 0)
      expect(logged().map(({ params }) => params?.data)).toEqual(['a error'])
    })

    test('changes of lists and resources reach whoever listens', async () => {
      const { client, heard } = await meet()
      expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('up__grown')
      if (revision === '2025-11-25') await client.subscribeResource({ uri: 'note://one' })
      else await client.listen({ toolsListChanged: true, resourceSubscriptions: ['note://one'] })
      const count = (method: string) => heard.filter((one) => one.method === method).length
      // The way to the upstream is opened in the background.
      const touch = async () => {
        await client.callTool({ name: 'up__touch', arguments: {} })
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      await until(async () => {
        if (count('notifications/resources/updated') === 0) await touch()
        return count('notifications/resources/updated') > 0
      })
      await client.callTool({ name: 'up__grow', arguments: {} })
      await until(() => count('notifications/tools/list_changed') > 0)
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('up__grown')
      expect(heard.find(({ method }) => method === 'notifications/resources/updated')?.params).toMatchObject({
        uri: 'note://one',
      })
    })

    test.runIf(era === '2025' && revision === '2025-11-25')('the upstream learns that the roots changed', async () => {
      const { client, rootsChanged } = await meet()
      await client.listTools()
      await client.sendRootsListChanged()
      await until(() => rootsChanged.length > 0)
    })
  })
})

describe('lists', () => {
  const many = (count: number, prefix = 'tool') =>
    newServer((server) => {
      for (let n = 0; n < count; n++)
        server.registerTool(`${prefix}_${n}`, { description: prefix }, () => say(`${prefix} ${n}`))
    })

  test('are joined in the order of the config, page by page, and each server has its own unchanged', async () => {
    const { url, connect } = await gated({ b: { url: await many(600, 'bee') }, a: { url: await many(3, 'ay') } })
    const first = (await rawCall(url, { method: 'tools/list', name: '', params: {} })) as never as {
      result: { tools: { name: string }[]; nextCursor: string; ttlMs: number; cacheScope: string }
    }
    expect(first.result.tools).toHaveLength(500)
    expect(first.result.tools[0]?.name).toBe('b__bee_0')
    expect(first.result.ttlMs).toBeGreaterThanOrEqual(0)
    const params = { cursor: first.result.nextCursor }
    const second = (await rawCall(url, { method: 'tools/list', name: '', params })) as never as typeof first
    expect(second.result.tools).toHaveLength(103)
    expect(second.result.tools.at(-1)?.name).toBe('a__ay_2')
    expect(second.result.nextCursor).toBeUndefined()
    const bad = await rawCall(url, { method: 'tools/list', name: '', params: { cursor: 'bm90IG1pbmU' } })
    expect(bad.error?.code).toBe(-32_602)
    const alone = await connect(connect26, { only: 'a' })
    expect(await alone.listTools()).toMatchObject({ tools: [{ name: 'ay_0' }, { name: 'ay_1' }, { name: 'ay_2' }] })
  })

  test('hold names of at most 64 characters, and each cut name calls its own tool', async () => {
    const long = 'x'.repeat(60)
    const url = await newServer((server) => {
      for (const end of ['one', 'two']) server.registerTool(`${long}${end}`, {}, () => say(end))
    })
    const { connect } = await gated({ server: { url } })
    const client = await connect(connect11)
    const { tools } = (await client.listTools()) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name.length)).toEqual([64, 64])
    expect(new Set(tools.map(({ name }) => name)).size).toBe(2)
    expect((await client.call(tools[0]?.name as string)).text).toBe('one')
    expect((await client.call(tools[1]?.name as string)).text).toBe('two')
  })

  test('leave out what policy always denies, and are then nobody else’s', async () => {
    const policy = { default: 'allow', fallback: 'inbox', rules: [{ tool: 'tool_1', decide: 'deny' }] } as const
    const { url, connect } = await gated({ up: { url: await many(3) } }, { assentOptions: { policy } as never })
    const client = await connect(connect26)
    const { tools } = (await client.listTools()) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toEqual(['up__tool_0', 'up__tool_2'])
    const { result } = await rawCall(url, { method: 'tools/list', name: '', params: {} })
    expect(result).toMatchObject({ cacheScope: 'private' })
    expect((await client.call('up__tool_1')).outcome).toMatchObject({ status: 'denied' })
  })

  test('are remembered for each requester apart', async () => {
    let asked = 0
    const url = await oldServer((server) => {
      asked += 1
      server.registerTool(`tool_${asked}`, {}, async () => say(''))
    })
    const { connect } = await gated({ up: { url } }, { withLogin: true })
    const names = async (token: string) => {
      const client = await connect(connect26, { token })
      return JSON.stringify(((await client.listTools()) as { tools: { name: string }[] }).tools.map(({ name }) => name))
    }
    const alice = await names('alice/desk')
    const bob = await names('bob/desk')
    expect(alice).not.toBe(bob)
    expect(await names('alice/desk')).toBe(alice)
    expect(await names('alice/phone')).not.toBe(alice)
  })
})
