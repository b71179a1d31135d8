import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listening } from '../server/servers.ts'

/** One request, as it came over the wire. */
export interface Heard {
  /** Of JSON-RPC, or of HTTP where there is no body. */
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly bytes: string
  readonly id?: unknown
  readonly params: Record<string, unknown>
}

/**
 * What it answers: a result, an error with its HTTP status, or the text of a whole message with this id, as an event of a
 * stream if it is one. A string such as `raw:1e400` is sent without its quotes.
 */
export type Said = { readonly error: object; readonly status?: number } | Wire | Record<string, unknown>

export interface Wire {
  wire(id: unknown): string
  readonly asEvent?: boolean
}

const isWire = (said: Said): said is Wire => 'wire' in said && typeof said.wire === 'function'

export interface PlainUpstream {
  readonly url: URL
  readonly heard: Heard[]
  /** Those of one method. */
  of(method: string): Heard[]
}

export const done = (said: string) => ({ resultType: 'complete', content: [{ type: 'text', text: said }] })
export const formOf = (message: string, field = 'branch') => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } } } },
})
export const pageOf = (message: string, url: string) => ({
  method: 'elicitation/create',
  params: { mode: 'url', message, url },
})

const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} }
const listed = { resultType: 'complete', ttlMs: 0, cacheScope: 'public' }

/** An upstream without an SDK: it hides nothing of what it is sent, and answers whatever it is told to. */
export async function plainUpstream(
  era: '2025' | '2026',
  answer: (heard: Heard) => Said | undefined | Promise<Said | undefined>,
  tools: readonly object[] = [],
): Promise<PlainUpstream> {
  const heard: Heard[] = []
  const usual: Record<string, Said> = {
    ...(era === '2026'
      ? { 'server/discover': { ...listed, supportedVersions: ['2026-07-28'], capabilities } }
      : { initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'plain', version: '0' } } }),
    'tools/list': { ...listed, tools: tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool })) },
    'prompts/list': { ...listed, prompts: [] },
    'resources/list': { ...listed, resources: [] },
    'resources/templates/list': { ...listed, resourceTemplates: [] },
  }
  const url = await listening(async (request: IncomingMessage, response: ServerResponse) => {
    const bytes = await text(request)
    const { id, method = request.method ?? '', params = {} } = bytes === '' ? {} : JSON.parse(bytes)
    const one: Heard = { method, path: request.url ?? '', headers: request.headers, bytes, id, params }
    heard.push(one)
    if (request.method !== 'POST') return void response.writeHead(request.method === 'GET' ? 405 : 200).end()
    if (id === undefined) return void response.writeHead(202).end()
    const said = (await answer(one)) ?? usual[method] ?? { error: { code: -32_601, message: 'Not found' } }
    const session = method === 'initialize' ? { 'Mcp-Session-Id': `session ${heard.length}`.replace(' ', '-') } : {}
    if (isWire(said)) {
      const text = said.wire(id)
      response.writeHead(200, { 'Content-Type': said.asEvent ? 'text/event-stream' : 'application/json' })
      return void response.end(said.asEvent ? `data: ${text.replaceAll('\n', '\ndata: ')}\n\n` : text)
    }
    const status = 'error' in said && typeof said.status === 'number' ? said.status : 200
    response.writeHead(status, { 'Content-Type': 'application/json', ...session })
    const message = { jsonrpc: '2.0', id, ...('error' in said ? { error: said.error } : { result: said }) }
    response.end(JSON.stringify(message).replace(/"raw:([^"]+)"/g, '$1'))
  })
  return { url, heard, of: (method) => heard.filter((one) => one.method === method) }
}
