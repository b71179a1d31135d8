import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  McpServer,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/server'
import { info, message, say, text } from './key-tool.ts'

/** A question for a key in a hand-written program: in memory, until it is answered and used. */
interface Asked {
  readonly id: string
  readonly about: string
  readonly expires: number
  key?: string
}

const asked = new Map<string, Asked>()
const byCall = new Map<string, string>()
const cookie = randomBytes(32).toString('base64url')
const csrf = createHmac('sha256', cookie).update('csrf').digest('base64url')
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/**
 * What a careful author writes with the SDK alone: pages for one known browser, safe against other people and sites.
 */
export async function serveByHand(): Promise<{ port: number; cookie: string }> {
  // Connections stay open while other contenders are measured.
  const server = createServer({ keepAliveTimeout: 600_000 })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const mcp = mcpHandler(origin)
  server.on('request', (request, reply) => {
    if (request.headers.host !== `127.0.0.1:${port}`) return end(reply, 403, 'This host is not served here.')
    if (request.url?.startsWith('/mcp')) return mcp(request, reply)
    void page(origin, request, reply)
  })
  return { port, cookie: `session=${cookie}` }
}

async function page(origin: string, request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const [, id = ''] = /^\/key\/([\w-]{36})$/.exec(request.url ?? '') ?? []
  const cookies = (request.headers.cookie ?? '').split('; ')
  const given = cookies.find((one) => one.startsWith('session='))?.slice('session='.length)
  if (!isSame(given, cookie)) return end(reply, 403, 'This browser is not known here.')
  const question = asked.get(id)
  if (question === undefined || question.expires <= Date.now()) return end(reply, 404, 'There is no such question.')
  if (question.key !== undefined) return end(reply, 200, 'The key was saved. You can close this page.')
  if (request.method === 'GET') return end(reply, 200, form(question))

  const from = request.headers.origin
  if (request.method !== 'POST' || (from !== undefined && from !== origin)) return end(reply, 403, 'Not from here.')
  let body = ''
  for await (const chunk of request) {
    body += chunk
    if (body.length > 65_536) return end(reply, 413, 'This is too much.')
  }
  const posted = new URLSearchParams(body)
  if (!isSame(posted.get('csrf') ?? undefined, csrf)) return end(reply, 403, 'Open the page again.')
  const key = posted.get('field.apiKey')
  if (!key) return end(reply, 422, form(question))
  question.key = key
  reply.writeHead(303, { ...headers, Location: request.url }).end()
}

function form({ id, about }: Asked): string {
  return `<h1>A key for ${escaped(info.name)}</h1><p>${escaped(message)} (${escaped(about)})</p>
<form method="post" action="/key/${id}"><input type="hidden" name="csrf" value="${csrf}">
<label>API key <input type="password" name="field.apiKey" required autocomplete="off"></label><button>Save</button></form>`
}

function end(reply: ServerResponse, status: number, body: string): void {
  reply.writeHead(status, headers).end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Key</title>
<style>body{font:16px sans-serif;max-width:32rem;margin:2rem auto}input,button{font:inherit}</style>${body}</html>`)
}

function escaped(said: string): string {
  return said.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

function isSame(given: string | undefined, wanted: string): boolean {
  return given?.length === wanted.length && timingSafeEqual(Buffer.from(given), Buffer.from(wanted))
}

function ask(about: string): Asked {
  const question: Asked = { id: randomUUID(), about, expires: Date.now() + 600_000 }
  asked.set(question.id, question)
  return question
}

/** The key of an answered question, which can be used once. */
function take(id: string | undefined): string | undefined {
  const key = id === undefined ? undefined : asked.get(id)?.key
  if (id !== undefined && key !== undefined) asked.delete(id)
  return key
}

/** 2026-07-28 with the SDK's handler; 2025 sessions as in the SDK's guide. */
function mcpHandler(origin: string): RequestListener {
  const codec = createRequestStateCodec<{ id: string }>({ key: randomBytes(32) })
  const modernServer = () => {
    const server = new McpServer(info, { requestState: { verify: codec.verify } })
    server.registerTool('key', text, async ({ text }, ctx) => {
      const state = ctx.mcpReq.requestState<{ id: string }>()
      const key = take(state?.id)
      if (key !== undefined) return say(key)
      const { id } = ask(text)
      const requestState = await codec.mint({ id }, ctx)
      const inputRequests = { key: inputRequired.elicitUrl({ message, url: `${origin}/key/${id}` }) }
      return inputRequired({ inputRequests, requestState })
    })
    return server
  }
  const sessionServer = () => {
    const server = new McpServer(info)
    server.registerTool('key', text, ({ text }, ctx) => {
      const call = `${ctx.sessionId} ${text}`
      const key = take(byCall.get(call))
      if (key === undefined) {
        const { id } = ask(text)
        byCall.set(call, id)
        throw new UrlElicitationRequiredError([{ mode: 'url', message, url: `${origin}/key/${id}`, elicitationId: id }])
      }
      byCall.delete(call)
      return say(key)
    })
    return server
  }

  // The SDK's types do not support exactOptionalPropertyTypes.
  const modern = toNodeHandler(createMcpHandler(modernServer, { legacy: 'reject' })) as RequestListener
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>()
  async function legacy(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id'] as string | undefined
    const known = id === undefined ? undefined : sessions.get(id)
    if (known !== undefined) return known.handleRequest(request, reply)
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (opened) => void sessions.set(opened, transport),
    })
    await sessionServer().connect(transport)
    return transport.handleRequest(request, reply)
  }
  return (request, reply) =>
    void (request.headers['mcp-protocol-version'] === '2026-07-28' ? modern : legacy)(request, reply)
}
