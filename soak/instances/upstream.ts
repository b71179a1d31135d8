import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Message } from '../client/send.ts'

/** An MCP server over HTTP that outlives the instances, and counts what ran. */
export interface SoakUpstream {
  readonly url: string
  /** How often each call ran, by its id. */
  readonly runs: ReadonlyMap<string, number>
  /** How many 2025 sessions were ever opened at it. */
  readonly sessions: number
  close(): void
}

interface Call {
  readonly name: string
  readonly arguments: { readonly id: string; readonly ms: number }
  readonly inputResponses?: { readonly word?: { readonly action?: string } }
}

const tools = ['run', 'careful', 'form', 'count'].map((name) => ({
  name,
  inputSchema: { type: 'object', properties: { id: { type: 'string' }, ms: { type: 'number' } }, required: ['id'] },
}))
const requestedSchema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] }
const say = (text: string, isError = false) => ({ content: [{ type: 'text', text }], isError })

/** Starts one that speaks 2025-11-25, with sessions, or 2026-07-28. */
export async function startUpstream(era: '2025' | '2026'): Promise<SoakUpstream> {
  const runs = new Map<string, number>()
  const waiting = new Map<string, (result: { readonly action?: string }) => void>()
  /** The 2025 sessions, with how many calls of `count` came on each. */
  const sessions = new Map<string, number>()
  let opened = 0

  async function run({ id, ms }: Call['arguments']) {
    runs.set(id, (runs.get(id) ?? 0) + 1)
    await new Promise((resolve) => setTimeout(resolve, ms))
    return say(`ran ${id}`)
  }

  function asking({ id }: Call['arguments']) {
    return { mode: 'form', message: `Which word for ${id}?`, requestedSchema }
  }

  async function call(call: Call, session: string, write: (message: object) => void): Promise<object> {
    const given = call.arguments
    if (call.name === 'count') {
      sessions.set(session, (sessions.get(session) ?? 0) + 1)
      return say(`counted ${sessions.get(session)}`)
    }
    if (call.name !== 'form') return run(given)
    if (era === '2026' && call.inputResponses === undefined) {
      return {
        resultType: 'input_required',
        inputRequests: { word: { method: 'elicitation/create', params: asking(given) } },
        requestState: `asked about ${given.id}`,
      }
    }
    const answer = era === '2026' ? call.inputResponses?.word : await ask(given, write)
    return answer?.action === 'accept' ? run(given) : say(`nothing ran for ${given.id}`, true)
  }

  function ask(given: Call['arguments'], write: (message: object) => void): Promise<{ readonly action?: string }> {
    const id = randomUUID()
    const answered = new Promise<{ readonly action?: string }>((resolve) => waiting.set(id, resolve))
    write({ id, method: 'elicitation/create', params: asking(given) })
    return answered
  }

  async function serve2026(message: Message, response: ServerResponse): Promise<void> {
    const params = message.params as never
    const results: Record<string, () => object | Promise<object>> = {
      'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 60_000 }),
      'tools/list': () => ({ tools, ttlMs: 60_000, cacheScope: 'public' }),
      'tools/call': () => call(params, '', () => {}),
    }
    const result = await results[String(message.method)]?.()
    const ended =
      result === undefined
        ? { error: { code: -32601, message: 'No such method' } }
        : { result: { resultType: 'complete', ...result } }
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...ended }))
  }

  async function serve2025(message: Message, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = String(request.headers['mcp-session-id'] ?? '')
    if (message.method === 'initialize') {
      opened += 1
      const fresh = randomUUID()
      sessions.set(fresh, 0)
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'soak', version: '1' },
      }
      response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': fresh })
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }))
    }
    if (!sessions.has(session)) return void response.writeHead(404).end()
    if (message.id === undefined || message.method === undefined) {
      waiting.get(String(message.id))?.((message.result ?? {}) as never)
      waiting.delete(String(message.id))
      return void response.writeHead(202).end()
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    const write = (more: object) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...more })}\n\n`)
    if (message.method === 'tools/list') write({ id: message.id, result: { tools } })
    else if (message.method === 'tools/call')
      write({ id: message.id, result: await call(message.params as never, session, write) })
    else if (message.method === 'ping') write({ id: message.id, result: {} })
    else write({ id: message.id, error: { code: -32601, message: 'No such method' } })
    response.end()
  }

  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    if (request.method === 'DELETE') return void response.writeHead(200).end()
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let text = ''
    for await (const chunk of request) text += chunk
    const message = JSON.parse(text) as Message
    await (era === '2026' ? serve2026(message, response) : serve2025(message, request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    runs,
    get sessions() {
      return opened
    },
    close: () => void server.close().closeAllConnections(),
  }
}
