import { request } from 'node:http'

interface Answer {
  readonly status: number
  readonly type: string
  readonly message: Record<string, unknown> | undefined
  readonly session: string | undefined
}

export type Headers = Record<string, string | string[]>

/** A header that comes twice keeps a request off the fast way, and changes nothing else. */
export const usual: Headers = { 'x-any': ['1', '2'] }
const both = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** `onRequest` gets each request that the server sends on the stream of the answer. */
export function post(
  url: URL,
  body: unknown,
  headers: Headers = {},
  onRequest?: (request: Record<string, unknown>) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { ...both, ...headers } }, (response) => {
      let text = ''
      let read = 0
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        for (let end = text.indexOf('\n', read); end !== -1; end = text.indexOf('\n', read)) {
          const line = text.slice(read, end)
          read = end + 1
          const message = line.startsWith('data: {') ? JSON.parse(line.slice(6)) : {}
          if ('method' in message && 'id' in message) onRequest?.(message)
        }
      })
      response.on('error', reject).on('end', () => {
        const { 'content-type': type = '', 'mcp-session-id': session } = response.headers
        resolve({ status: response.statusCode ?? 0, type, message: messageIn(text), session: session as string })
      })
    })
    sent.on('error', reject)
    sent.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}

function messageIn(text: string): Answer['message'] {
  if (text.startsWith('{')) return JSON.parse(text)
  const data = text.split('\n').filter((line) => line.startsWith('data: {'))
  return data.length === 0 ? undefined : JSON.parse((data.at(-1) as string).slice(6))
}

const initialize = {
  jsonrpc: '2.0',
  id: 'greeting',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

interface Raw {
  readonly headers: Headers
  /** A call as this revision spells it. */
  body(name: string, given?: object): Record<string, unknown> & { params: Record<string, unknown> }
  headersFor(name: string): Headers
}

/** A client of each revision that says exactly what it is told to. */
export const raws: Record<string, (url: URL, headers?: Headers) => Promise<Raw>> = {
  async '2025-11-25'(url, headers = {}) {
    const { session } = await post(url, initialize, headers)
    const mine = { ...headers, 'mcp-session-id': session as string, 'mcp-protocol-version': '2025-11-25' }
    await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, mine)
    const body = (name: string, given: object = { text: 'hello' }) => ({
      ...{ jsonrpc: '2.0', id: 7, method: 'tools/call' },
      params: { name, arguments: given },
    })
    // The first call of a session goes the usual way.
    await post(url, body('echo'), mine)
    return { headers: mine, body, headersFor: () => mine }
  },
  async '2026-07-28'(_url, headers = {}) {
    const mine = { ...headers, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }
    const body = (name: string, given: object = { text: 'hello' }) => ({
      ...{ jsonrpc: '2.0', id: 7, method: 'tools/call' },
      params: { name, arguments: given, _meta: envelope },
    })
    return { headers: mine, body, headersFor: (name) => ({ ...mine, 'mcp-name': name }) }
  },
}
