import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { testKeys } from '../support/assents.ts'
import { compiled } from '../support/programs.ts'

const megabyte = 1024 * 1024
const agent = new Agent({ keepAlive: true })

test('1,000 handlers that wait for a person hold under 60 MB, and all finish when answered (M26-13, H26-11)', async () => {
  const server = await startServer()
  // What is built or compiled once is not what waiting costs.
  await finish(server, await wait(server, 'warm', 30))
  const idle = await server.tell<NodeJS.MemoryUsage>({ kind: 'memory' })

  const waiting = await wait(server, 'many', 500)
  const busy = await server.tell<NodeJS.MemoryUsage>({ kind: 'memory' })
  const held = (busy.heapUsed + busy.external - idle.heapUsed - idle.external) / megabyte
  const resident = (busy.rss - idle.rss) / megabyte
  expect(held, `${held.toFixed(1)} MB of heap, ${resident.toFixed(1)} MB resident`).toBeLessThan(60)

  const said = await finish(server, waiting)
  expect(said).toHaveLength(1_000)
  expect(said.filter((text) => text.includes('on main'))).toHaveLength(500)
  expect(said.filter((text) => text.includes('went ahead'))).toHaveLength(500)
})

interface Server {
  readonly port: number
  tell<T>(order: object): Promise<T>
}

async function startServer(): Promise<Server> {
  const child = fork(compiled(new URL('./many-waiting-process.ts', import.meta.url)), {
    execArgv: ['--expose-gc'],
    env: { ...process.env, ASSENT_KEYS: testKeys },
  })
  onTestFinished(() => ended(child))
  const [port] = (await once(child, 'message')) as [number]
  return {
    port,
    async tell<T>(order: object) {
      const told = once(child, 'message')
      child.send(order)
      return (await told)[0] as T
    },
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** A call that is not answered yet. */
interface Waiting {
  readonly reply: Promise<string>
  /** The question on a page, or how the client itself says yes. */
  readonly page?: string
  answer?(): Promise<void>
}

/** So many people are asked by their 2025 clients, and as many by pages that 2026 clients hold a retry for. */
async function wait({ port }: Server, group: string, count: number): Promise<Waiting[]> {
  const waiting: Waiting[] = []
  for (let n = 0; n < count; n += 50) {
    const some = Array.from({ length: Math.min(50, count - n) }, (_, index) => `${group}${n + index}`)
    waiting.push(...(await Promise.all(some.flatMap((who) => [waitByForm(port, who), waitOnPage(port, who)]))))
  }
  // If the test fails before they are answered, that is its one error.
  for (const { reply } of waiting) reply.catch(() => {})
  return waiting
}

async function finish(server: Server, waiting: readonly Waiting[]): Promise<string[]> {
  await server.tell({ kind: 'answer', ids: waiting.flatMap(({ page }) => page ?? []) })
  await Promise.all(waiting.map(({ answer }) => answer?.()))
  return Promise.all(waiting.map(({ reply }) => reply))
}

/** A 2025 session whose client was sent the form and has not answered. */
async function waitByForm(port: number, who: string): Promise<Waiting> {
  const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: info }
  const opened = await reached(post(port, who, { id: 0, method: 'initialize', params }))
  const session = { 'Mcp-Session-Id': String(opened.headers['mcp-session-id']) }
  await text(opened)
  await text(await reached(post(port, who, { method: 'notifications/initialized' }, session)))
  const calling = await reached(
    post(port, who, { id: 1, method: 'tools/call', params: { name: 'by-form', arguments: {} } }, session),
  )
  const { asked, reply } = readUntilAsked(calling)
  const id = await asked
  return {
    reply,
    async answer() {
      const result = { action: 'accept', content: { branch: 'main' } }
      await text(await reached(post(port, who, { id, result }, session)))
    },
  }
}

/** A 2026 client whose person opened the page and has not answered there. */
async function waitOnPage(port: number, who: string): Promise<Waiting> {
  const call = (retry: object) => {
    const params = { name: 'on-page', arguments: {}, ...retry, _meta: envelope }
    return post(port, who, { id: 1, method: 'tools/call', params }, modernHeaders)
  }
  const { result } = JSON.parse(await text(await reached(call({}))))
  const [key, { params }] = Object.entries(result.inputRequests)[0] as [string, { params: { url: string } }]
  const held = call({ requestState: result.requestState, inputResponses: { [key]: { action: 'accept' } } })
  await once(held, 'finish')
  return { reply: reached(held).then(text), page: params.url.split('/').at(-2) as string }
}

const info = { name: 'tester', version: '1' }
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': info,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
}
const modernHeaders = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'on-page' }

function post(port: number, token: string, message: object, headers: Record<string, string> = {}): ClientRequest {
  const sent = request({
    port,
    host: '127.0.0.1',
    path: '/mcp',
    method: 'POST',
    agent,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${token}`,
      ...headers,
    },
  })
  sent.end(JSON.stringify({ jsonrpc: '2.0', ...message }))
  return sent
}

async function reached(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}

async function text(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8')
  let all = ''
  for await (const chunk of response) all += chunk
  return all
}

/** Reads a stream to its end, and tells the id of the question in it as soon as it is there. */
function readUntilAsked(response: IncomingMessage): { asked: Promise<number>; reply: Promise<string> } {
  let tell: (id: number) => void = () => {}
  const asked = new Promise<number>((resolve) => {
    tell = resolve
  })
  const reply = new Promise<string>((resolve, reject) => {
    let all = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      all += chunk
      const found = /^data: (\{.*"elicitation\/create".*\})$/m.exec(all)?.[1]
      if (found !== undefined) tell(JSON.parse(found).id)
    })
    response.on('end', () => resolve(all))
    response.on('error', reject)
  })
  return { asked, reply }
}
