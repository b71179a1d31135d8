import { client, type Message, post } from './mcp-post.ts'
import { median } from './measure.ts'

/** What to send, how often, over how many connections, and to which server. */
export interface GatewayLoad {
  readonly port: number
  readonly revision: '2025-11-25' | '2026-07-28'
  readonly tool: 'echo' | 'form'
  /** The prefix of the tool's name at the joined address. */
  readonly prefix?: string
  readonly calls: number
  readonly connections: number
  /** What to report: the number of calls, or the median time of one call in µs. */
  readonly reports: 'count' | 'p50'
}

type Call = (tool: string) => Promise<void>

const answer = { action: 'accept', content: { branch: 'main' } }
let lastId = 0

function modern(port: number): Call {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': client,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  }
  return async (tool) => {
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': tool }
    const params = { name: tool, arguments: { text: 'hello' }, _meta }
    const call = (more: object) => {
      lastId += 1
      return post(port, { headers, message: { id: lastId, method: 'tools/call', params: { ...params, ...more } } })
    }
    const { last } = await call({})
    if (!tool.endsWith('form')) return
    const { requestState, inputRequests = {} } = last.result ?? {}
    const [key = ''] = Object.keys(inputRequests)
    await call({ requestState, inputResponses: { [key]: answer } })
  }
}

async function session(port: number): Promise<Call> {
  const revision = '2025-11-25'
  const initialize = { protocolVersion: revision, capabilities: { elicitation: {} }, clientInfo: client }
  const { session } = await post(port, { message: { id: 0, method: 'initialize', params: initialize } })
  const headers = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': revision }
  await post(port, { headers, message: { method: 'notifications/initialized' } })
  return async (tool) => {
    lastId += 1
    const answering: Promise<unknown>[] = []
    const onMessage = ({ id, method }: Message) => {
      if (method === 'elicitation/create') answering.push(post(port, { headers, message: { id, result: answer } }))
    }
    const params = { name: tool, arguments: { text: 'hello' } }
    await post(port, { headers, message: { id: lastId, method: 'tools/call', params }, onMessage })
    await Promise.all(answering)
  }
}

const openConnections = new Map<string, Promise<Call>>()

/** Each connection keeps its session between rounds, so that the call is measured and not the handshake. */
function openConnection({ port, revision }: GatewayLoad, index: number): Promise<Call> {
  const key = `${port} ${index}`
  const known = openConnections.get(key)
  if (known !== undefined) return known
  const made = revision === '2026-07-28' ? Promise.resolve(modern(port)) : session(port)
  openConnections.set(key, made)
  return made
}

process.on('message', async (load: GatewayLoad) => {
  const { connections, tool, prefix = '', reports } = load
  const calls = Math.ceil(load.calls / connections)
  const taken: number[] = []
  const work = async (_: unknown, index: number) => {
    const call = await openConnection(load, index)
    for (let n = 0; n < calls; n++) {
      const start = performance.now()
      await call(`${prefix}${tool}`)
      taken.push((performance.now() - start) * 1_000)
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  process.send?.(reports === 'count' ? calls * connections : median(taken))
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
