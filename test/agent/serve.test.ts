import { McpServer } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { serverSource } from '../../src/agent/tools/mcp-source.ts'
import { envelope, type Heard, request, startHub } from '../support/hub/hub.ts'

const isMethod = (method: string) => (heard: Heard) => heard.payload?.method === method
const isAnswer = (id: number) => (heard: Heard) => heard.payload?.id === id && heard.payload.method === undefined
const done = async () => ({ content: [{ type: 'text' as const, text: 'done' }] })
const never = async () => ({ action: 'cancel' })

test('an MCP server that gets another tool has it in the space, and the others are told', async () => {
  const { join, raw } = await startHub()
  const [a, b, watching] = [await join('agent-a'), await join('agent-b'), await raw('user-1')]
  const server = new McpServer({ name: 'tools', version: '1' })
  server.registerTool('first', {}, done)
  await b.serveTools(server)
  expect((await a.tools()).map(({ name }) => name)).toEqual(['first'])
  const told = () => watching.heard.filter(isMethod('notifications/tools/list_changed')).length
  await expect.poll(told).toBe(1)
  server.registerTool('second', {}, done)
  await expect.poll(told).toBeGreaterThan(1)
  expect((await a.tools()).map(({ name }) => name)).toEqual(['first', 'second'])
  await expect(b.serveTools(server)).rejects.toThrow('Tools are served already.')
})

test('a participant answers what MCP asks of each, and says what it does not answer', async () => {
  const { join, raw } = await startHub()
  const [b, a] = [await join('agent-b'), await raw('agent-a')]
  const ask = async (id: number, method: string, params = {}) => {
    a.send(envelope('agent-a', ['agent-b'], request(id, method, params)))
    return (await a.hears(isAnswer(id))).payload
  }
  expect((await ask(1, 'initialize')).result).toMatchObject({ protocolVersion: '2025-06-18' })
  expect((await ask(2, 'ping')).result).toEqual({})
  expect((await ask(3, 'tools/list')).result).toEqual({ tools: [] })
  for (const [id, method] of [
    [4, 'tools/call'],
    [5, 'elicitation/create'],
    [6, 'resources/list'],
  ] as const) {
    expect((await ask(id, method)).error).toMatchObject({
      code: -32_601,
      message: `agent-b does not answer ${method}.`,
    })
  }
  a.send(envelope('agent-a', ['agent-b'], { jsonrpc: '2.0', method: 'notifications/cancelled' }))
  b.notify('notifications/note', {})
  await a.hears(isMethod('notifications/note'))
})

test('a source of tools that fails ends the call with its words, and one that cannot list them says so', async () => {
  const { join, raw } = await startHub()
  const [a, b] = [await join('agent-a'), await join('agent-b')]
  let isBroken = false
  await b.serveTools({
    list: async () => {
      if (isBroken) throw 'no list today'
      return [{ name: 'work' }]
    },
    call: async () => {
      throw 'out of order'
    },
    close: async () => {},
  })
  await expect(a.call('agent-b', 'work')).rejects.toThrow('out of order')
  isBroken = true
  const other = await raw('user-1')
  other.send(envelope('user-1', ['agent-b'], request(1, 'tools/list')))
  expect((await other.hears(isAnswer(1))).payload.error.message).toBe('no list today')
})

test('each caller has a session with the server; the one that does nothing gives way, and others are told to wait', async () => {
  let end = () => {}
  const gate = new Promise<void>((resolve) => (end = resolve))
  const source = serverSource(
    () => {
      const server = new McpServer({ name: 'tools', version: '1' })
      server.registerTool('quick', {}, done)
      server.registerTool('slow', {}, () => gate.then(done))
      return server
    },
    { sessions: 1 },
  )
  const calling = (asker: string) => ({ signal: new AbortController().signal, asker, ask: never })
  expect(await source.call('quick', {}, calling('a'))).toMatchObject(await done())
  expect(await source.call('quick', {}, calling('b'))).toMatchObject(await done())
  const slow = source.call('slow', {}, calling('b'))
  await expect(source.call('quick', {}, calling('a'))).rejects.toThrow('too many callers at once')
  end()
  await slow
  await source.close()
})

test('the people whom a rule names by their ids in the space are asked, also those it names for later or to hand on to', async () => {
  const { join, raw } = await startHub()
  const [a, b, user] = [await join('agent-a'), await join('agent-b'), await raw('user-1')]
  const rules = [
    {
      decide: 'ask',
      approvers: ['user-1'],
      delegate: ['user-2'],
      escalate: [{ after: '1h', to: 'user-2' }],
    } as const,
  ]
  await b.serveTools({ work: { run: () => 'done' } }, { policy: { rules } })
  const called = a.call('agent-b', 'work')
  const { payload } = await user.hears(isMethod('elicitation/create'))
  const say = (result: object) => user.send(envelope('user-1', ['agent-b'], { jsonrpc: '2.0', id: payload.id, result }))
  expect(payload.params.requestedSchema.properties).toHaveProperty('delegateTo')
  say({ action: 'accept', content: { action: 'approve' } })
  expect((await called).content).toEqual((await done()).content)
})
