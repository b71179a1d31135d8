import { setTimeout as sleep } from 'node:timers/promises'
import { client, type Message, post } from './mcp-post.ts'

/** Where a server is called. */
export interface Target {
  readonly port: number
  readonly path: string
  /** The prefix of the tools' names, at an address that joins servers. */
  readonly prefix: string
  /** Sent with each request. */
  readonly token?: string
}

/** What to send, how often, over how many connections, and to which server. */
export interface GatewayLoad {
  readonly target: Target
  readonly revision: '2025-11-25' | '2026-07-28'
  readonly tool: 'echo' | 'form' | 'large'
  readonly calls: number
  readonly connections: number
  /** Calls begin at this rate, whether or not those before have ended. Left out: as fast as they are answered. */
  readonly perSecond?: number
}

/** How many calls were made, and how long they took, in µs. */
export interface Made {
  readonly count: number
  readonly p50: number
  readonly p99: number
}

/** What came of a load. */
export type Reply = Made | { readonly failed: string }

type Call = (tool: string) => Promise<void>

const answer = { action: 'accept', content: { branch: 'main' } }
let lastId = 0

const loginOf = ({ token }: Target) => (token === undefined ? {} : { Authorization: `Bearer ${token}` })

function modern(target: Target): Call {
  const { port, path } = target
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': client,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  }
  return async (tool) => {
    const named = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': tool }
    const headers = { ...named, ...loginOf(target) }
    const params = { name: tool, arguments: { text: 'hello' }, _meta }
    const call = (more: object) => {
      lastId += 1
      return post(port, {
        path,
        headers,
        message: { id: lastId, method: 'tools/call', params: { ...params, ...more } },
      })
    }
    const { last } = await call({})
    if (!tool.endsWith('form')) return
    const { requestState, inputRequests = {} } = last.result ?? {}
    const [key = ''] = Object.keys(inputRequests)
    await call({ requestState, inputResponses: { [key]: answer } })
  }
}

async function session(target: Target): Promise<Call> {
  const { port, path } = target
  const login = loginOf(target)
  const revision = '2025-11-25'
  const initialize = { protocolVersion: revision, capabilities: { elicitation: {} }, clientInfo: client }
  const { session } = await post(port, {
    path,
    headers: login,
    message: { id: 0, method: 'initialize', params: initialize },
  })
  const headers = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': revision, ...login }
  await post(port, { path, headers, message: { method: 'notifications/initialized' } })
  return async (tool) => {
    lastId += 1
    const answering: Promise<unknown>[] = []
    const onMessage = ({ id, method }: Message) => {
      if (method === 'elicitation/create')
        answering.push(post(port, { path, headers, message: { id, result: answer } }))
    }
    const params = { name: tool, arguments: { text: 'hello' } }
    await post(port, { path, headers, message: { id: lastId, method: 'tools/call', params }, onMessage })
    await Promise.all(answering)
  }
}

const openConnections = new Map<string, Promise<Call>>()

/** Each connection keeps its session between rounds, so that the call is measured and not the handshake. */
function openConnection({ target, revision }: GatewayLoad, index: number): Promise<Call> {
  const key = `${target.port} ${target.path} ${index}`
  const known = openConnections.get(key)
  if (known !== undefined) return known
  const made = revision === '2026-07-28' ? Promise.resolve(modern(target)) : session(target)
  openConnections.set(key, made)
  return made
}

/** The time that a call took, from when it should have begun. */
async function timed(call: Call, tool: string, start = performance.now()): Promise<number> {
  await call(tool)
  return (performance.now() - start) * 1_000
}

async function asFastAsAnswered(load: GatewayLoad, tool: string): Promise<number[]> {
  const calls = Math.ceil(load.calls / load.connections)
  const work = async (_: unknown, index: number) => {
    const call = await openConnection(load, index)
    const taken: number[] = []
    for (let n = 0; n < calls; n++) taken.push(await timed(call, tool))
    return taken
  }
  return (await Promise.all(Array.from({ length: load.connections }, work))).flat()
}

async function atRate(load: GatewayLoad, tool: string, perSecond: number): Promise<number[]> {
  const opened = await Promise.all(Array.from({ length: load.connections }, (_, index) => openConnection(load, index)))
  const start = performance.now()
  const taken: Promise<number>[] = []
  while (taken.length < load.calls) {
    const due = Math.min(load.calls, Math.floor(((performance.now() - start) * perSecond) / 1_000))
    while (taken.length < due) {
      const n = taken.length
      taken.push(timed(opened[n % opened.length] as Call, tool, start + (n * 1_000) / perSecond))
    }
    await sleep(1)
  }
  return Promise.all(taken)
}

async function made(load: GatewayLoad): Promise<Made> {
  const { perSecond, target } = load
  const tool = `${target.prefix}${load.tool}`
  const taken = await (perSecond === undefined ? asFastAsAnswered(load, tool) : atRate(load, tool, perSecond))
  taken.sort((one, other) => one - other)
  const at = (share: number) => taken[Math.floor(taken.length * share)] ?? Number.NaN
  return { count: taken.length, p50: at(0.5), p99: at(0.99) }
}

process.on('message', async (load: GatewayLoad) => {
  const reply: Reply = await made(load).catch((error: Error) => ({ failed: error.message }))
  process.send?.(reply)
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
