import type { OutgoingHttpHeaders } from 'node:http'
import { mutated } from './broken/mutate.ts'
import { openClient2025 } from './client/client-2025.ts'
import { clientMessages } from './client/client-messages.ts'
import { jsonHeaders, keepAliveAgent, send, sendRaw } from './client/send.ts'
import type { Random } from './random.ts'

const paths = [
  '/mcp',
  '/mcp',
  '/mcp',
  '/mcp/good',
  '/mcp/nobody',
  '/mcp/',
  '/mcp/good/../x',
  '/.well-known/oauth-protected-resource',
  '//',
]
const methods = ['GET', 'DELETE', 'PUT', 'OPTIONS', 'PATCH', 'HEAD']
const oddHeaders: readonly (readonly [string, string])[] = [
  ['Content-Type', 'text/plain'],
  ['Content-Type', 'application/json; charset=utf-16'],
  ['Accept', '*/*'],
  ['Accept', 'text/html'],
  ['MCP-Protocol-Version', '1999-01-01'],
  ['MCP-Protocol-Version', ''],
  ['Mcp-Method', 'tools/list'],
  ['Mcp-Name', '=?base64?!!!?='],
  ['Mcp-Session-Id', '00000000-0000-0000-0000-000000000000'],
  ['Last-Event-ID', '../../1'],
  ['Host', 'evil.example.com'],
  ['Origin', 'https://evil.example.com'],
  ['Authorization', 'Bearer rubbish'],
  ['Content-Encoding', 'gzip'],
]

/** A client that sends broken messages of both eras, one after the other. */
export async function sendMutated(url: URL, messages: number, random: Random): Promise<Map<string, number>> {
  const ends = new Map<string, number>()
  const agent = keepAliveAgent()
  const count = (end: string) => ends.set(end, (ends.get(end) ?? 0) + 1)
  let session: string | undefined
  try {
    for (let sent = 0; sent < messages; sent++) {
      if (random.oneIn(60)) {
        await sendRaw(url, rawBytes(url, random))
        count('not HTTP')
        continue
      }
      if (session === undefined || random.oneIn(200))
        ({ session } = await openClient2025(agent, new URL('/mcp/good', url)))
      const { status } = await sendOne(agent, url, session, random)
      count(String(status))
      if (status === 404) session = undefined
    }
  } finally {
    agent.destroy()
  }
  return ends
}

function sendOne(agent: ReturnType<typeof keepAliveAgent>, url: URL, session: string | undefined, random: Random) {
  const { isNew, message } = random.pick(clientMessages)
  const body = mutated(message, random)
  const headers: OutgoingHttpHeaders = { ...jsonHeaders, ...(isNew ? newHeaders(message) : oldHeaders(session)) }
  for (let odd = random.oneIn(4) ? 1 + random.below(2) : 0; odd > 0; odd--) {
    const [name, value] = random.pick(oddHeaders)
    headers[name] = value
  }
  const method = random.oneIn(25) ? random.pick(methods) : 'POST'
  const path = random.oneIn(10) ? random.pick(paths) : '/mcp/good'
  return send(agent, url, { method, path, headers, body: method === 'HEAD' ? '' : body })
}

function newHeaders({ method, params }: Record<string, unknown>): OutgoingHttpHeaders {
  const { name, uri } = params as Record<string, string | undefined>
  const named = name ?? uri
  return {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': String(method),
    ...(named !== undefined && { 'Mcp-Name': named }),
  }
}

function oldHeaders(session: string | undefined): OutgoingHttpHeaders {
  return { 'MCP-Protocol-Version': '2025-11-25', ...(session !== undefined && { 'Mcp-Session-Id': session }) }
}

function rawBytes({ host }: URL, random: Random): string {
  const start = `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`
  return random.pick([
    `${start}Content-Length: 999\r\n\r\n{"jsonrpc":`,
    `${start}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `${start}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}`,
    `${start}Content-Length: -1\r\n\r\n`,
    `GET /mcp HTTP/9.9\r\n\r\n`,
    '\u0016\u0003\u0001\u0002\u0000',
    `${start}X: ${'y'.repeat(40_000)}\r\n\r\n`,
    '\r\n\r\n\r\n',
  ])
}
