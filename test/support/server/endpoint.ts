import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { type HttpOptions, type HttpServing, serveHttp } from '../../../src/mcp/http/serve.ts'
import type { ServerFactory } from '../../../src/mcp/http/session/served-session.ts'
import { keepConnections } from './keep-connections.ts'

export interface Endpoint {
  url: URL
  serving: HttpServing
}

/** A listening endpoint; `optionsAt` gets the address that it will have. Closed after the test. */
export async function endpoint(
  factory: ServerFactory,
  optionsAt: (url: string) => HttpOptions = () => ({}),
): Promise<Endpoint> {
  const server = createServer(keepConnections)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const serving = serveHttp(factory, optionsAt(url))
  server.on('request', serving.node)
  onTestFinished(async () => {
    await serving.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: new URL(url), serving }
}

const noArguments = fromJsonSchema<Record<string, never>>({ type: 'object' })
const text = fromJsonSchema<{ text: string }>({
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
})

export const say = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })

/** A server with two tools: one echoes, one asks its 2025 client for a name. */
export const echoServer = (addTools: (server: McpServer) => void = () => {}): McpServer => {
  const server = new McpServer({ name: 'echo', version: '1.0.0' })
  server.registerTool('echo', { inputSchema: text }, async ({ text }) => say(text))
  server.registerTool('greet', { inputSchema: noArguments }, async (_, ctx) => {
    const answer = await ctx.mcpReq.elicitInput({
      message: 'Who are you?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    })
    return say(`Hello ${answer.content?.name ?? 'nobody'}`)
  })
  addTools(server)
  return server
}

/** What a 2025 client sends first. */
export const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'raw', version: '1' },
  },
}

export const callOf = (name: string, args: object = {}, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

/** The same call as 2026-07-28 says it, with the headers that go with it. */
export function modernCall(name: string, args: object = {}) {
  const call = callOf(name, args)
  const version = '2026-07-28'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
    body: { ...call, params: { ...call.params, _meta } },
    headers: { 'MCP-Protocol-Version': version, 'Mcp-Method': 'tools/call', 'Mcp-Name': name },
  }
}

export interface RawRequest {
  method?: string
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Sends one request with what every MCP client sends, and nothing else. */
export function send(url: URL, { method = 'POST', body, headers = {}, signal }: RawRequest = {}): Promise<Response> {
  return fetch(url, {
    method,
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  })
}

/** Opens a 2025 session and returns the header that names it. */
export async function openSession(url: URL, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const response = await send(url, { body: initialize, headers })
  await response.text()
  const id = response.headers.get('mcp-session-id')
  if (id === null) throw new Error(`no session: ${response.status}`)
  return { ...headers, 'Mcp-Session-Id': id }
}
