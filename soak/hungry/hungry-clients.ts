import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { initialize, meta2026 } from '../client/client-messages.ts'
import { jsonHeaders } from '../client/send.ts'

/** Calls with bodies that are small to send and large to hold: at most 4 MiB, and 1.3 million values. */
const manyValues = `[${'{},'.repeat(1_300_000)}{}]`
/** At most 4 MiB, with so few values that it is parsed and passed on. */
const longText = JSON.stringify('x'.repeat(3_900_000))

/** What memory-hungry clients do in one round. Resolves when each of them was answered or cut off. */
export async function hungryRound(url: URL, round: number): Promise<Map<string, number>> {
  const ends = new Map<string, number>()
  const count = async (what: string, ending: Promise<string>) => {
    const end = `${what} ${await ending}`
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }
  const many = (how: number, what: string, act: (who: string) => Promise<string>) =>
    Array.from({ length: how }, (_, n) => count(what, act(`greedy-${round}-${n % 8}`)))
  const halves = Array.from({ length: 24 }, (_, n) => halfSent(url, `half-${round}-${n % 8}`))
  const unread = Array.from({ length: 24 }, (_, n) => unreadCall(url, `unread-${round}-${n % 4}`))
  await Promise.all([
    ...many(40, 'body of objects', (who) => post(url, who, call('good__run', manyValues))),
    ...many(24, 'long body', (who) => post(url, who, call('good__run', `{"id":${longText}}`))),
    ...many(16, 'answer of objects', (who) => post(url, who, call('hungry__objects', '{}'))),
    ...many(8, 'flood', (who) => post(url, who, call('hungry__flood', '{}'))),
    ...many(8, 'list without end', (who) => post(url, who, listPrompts)),
    ...many(2, 'line without end', (who) => post(url, who, call('endless__line', '{}'))),
    ...many(100, 'session', (who) => post(url, who, { body: JSON.stringify(initialize) })),
  ])
  for (const socket of [...halves, ...unread]) socket.destroy()
  return ends
}

interface Post {
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

function call(name: string, given: string): Post {
  const params = `"name":"${name}","arguments":${given},"_meta":${JSON.stringify(meta2026)}`
  return {
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params}}}`,
    headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name },
  }
}

const listPrompts: Post = {
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'prompts/list', params: { _meta: meta2026 } }),
  headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'prompts/list' },
}

/** Sends a request, reads its answer without keeping it, and tells its status. */
function post(url: URL, who: string, { body, headers = {} }: Post): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(url, {
      method: 'POST',
      headers: { ...jsonHeaders, Authorization: `Bearer ${who}`, ...headers },
    })
    sent.on('response', (response) => {
      response.resume()
      response.on('close', () => resolve(response.complete ? String(response.statusCode) : 'cut off'))
    })
    sent.on('error', () => resolve('cut off'))
    sent.end(body)
  })
}

/** A request whose body never arrives in full. */
function halfSent(url: URL, who: string): Socket {
  const socket = opened(url)
  socket.write(`${head(url, who, {})}Content-Length: 4000000\r\n\r\n`)
  socket.write('x'.repeat(3_000_000))
  return socket.resume()
}

/** A call whose long answer is never read. */
function unreadCall(url: URL, who: string): Socket {
  const { body, headers = {} } = call('hungry__long', '{}')
  const socket = opened(url)
  socket.write(`${head(url, who, headers)}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  return socket.pause()
}

function opened({ hostname, port }: URL): Socket {
  const socket = connect(Number(port), hostname)
  return socket.on('error', () => {})
}

function head({ host, pathname }: URL, who: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ Host: host, ...jsonHeaders, Authorization: `Bearer ${who}`, ...headers })
  return `POST ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`
}
