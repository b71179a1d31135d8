import { Agent, type ClientRequest, request } from 'node:http'

export type Revision = '2025-11-25' | '2026-07-28'

/** Where to ask, and in which revision. */
export interface Place {
  readonly port: number
  readonly path: string
  readonly revision: Revision
}

const agent = new Agent({ maxSockets: 10_000 })
const client = { name: 'load', version: '1' }

/** Opens a session, and uses it once, as clients do. Returns its id. */
export async function openSession(place: Place): Promise<string> {
  const params = { protocolVersion: place.revision, capabilities: {}, clientInfo: client }
  const { session } = await sent(place, { id: 0, method: 'initialize', params })
  await sent(place, { method: 'notifications/initialized' }, headersOf(place, session))
  const call = { name: nameOf(place, 'echo'), arguments: { text: 'hello' } }
  await sent(place, { id: 1, method: 'tools/call', params: call }, headersOf(place, session))
  return session
}

/** Calls a tool that a person must allow, and resolves when the gateway holds the call. */
export async function askCall(place: Place, session: string | undefined, n: number): Promise<{ close(): void }> {
  const name = nameOf(place, 'large')
  const token = `progress ${n}`
  const meta = {
    'io.modelcontextprotocol/protocolVersion': place.revision,
    'io.modelcontextprotocol/clientInfo': client,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const _meta = { progressToken: token, ...(session === undefined && meta) }
  const headers =
    session === undefined
      ? { 'MCP-Protocol-Version': place.revision, 'Mcp-Method': 'tools/call', 'Mcp-Name': name }
      : headersOf(place, session)
  const params = { name, arguments: { text: `question ${n} ${Math.random()}` }, _meta }
  return new Promise((resolve, reject) => {
    const open = begin(place, headers, (response) => {
      response.setEncoding('utf8')
      response.on('error', () => {})
      response.on('data', (chunk: string) => {
        if (chunk.includes('progress')) resolve({ close: () => open.destroy() })
        else if (chunk.includes('"result"') || chunk.includes('"error"')) reject(new Error(`It was not held: ${chunk}`))
      })
    })
    open.on('error', reject)
    open.end(JSON.stringify({ jsonrpc: '2.0', id: 1_000 + n, method: 'tools/call', params }))
  })
}

const nameOf = ({ path }: Place, tool: string) => (path === '/mcp' ? `up__${tool}` : tool)

function headersOf({ revision }: Place, session: string): Record<string, string> {
  return { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': revision }
}

function sent(place: Place, message: object, headers: Record<string, string> = {}): Promise<{ session: string }> {
  return new Promise((resolve, reject) => {
    const open = begin(place, headers, (response) => {
      response.resume()
      response.on('error', reject)
      response.on('end', () => {
        if ((response.statusCode ?? 500) >= 300) reject(new Error(`The gateway answered ${response.statusCode}.`))
        resolve({ session: String(response.headers['mcp-session-id']) })
      })
    })
    open.on('error', reject)
    open.end(JSON.stringify({ jsonrpc: '2.0', ...message }))
  })
}

function begin(
  { port, path }: Place,
  headers: Record<string, string>,
  answered: Parameters<typeof request>[2] & {},
): ClientRequest {
  const all = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers }
  return request({ port, host: '127.0.0.1', path, method: 'POST', agent, headers: all }, answered)
}
