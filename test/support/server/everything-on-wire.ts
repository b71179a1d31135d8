import { onTestFinished } from 'vitest'
import { everythingServer } from '../../../examples/everything/server.ts'
import type { Assent, AssentOptions } from '../../../src/index.ts'
import {
  type AssentServerOptions,
  createAssentServer,
  type HttpOptions,
  type HttpServing,
} from '../../../src/server/index.ts'
import { anAssent } from '../assents.ts'

/** A JSON-RPC message, as it is found on the wire. */
export interface Message {
  readonly id?: number | string | null
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> }
}

/** What came back for one POST. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly messages: readonly Message[]
  /** The last message: what answers the request. */
  readonly answer: Message
}

export interface Sending {
  readonly capabilities?: Record<string, unknown>
  readonly meta?: Record<string, unknown>
  readonly headers?: Record<string, string>
  readonly id?: number | string
  readonly signal?: AbortSignal
}

/** examples/everything in this process, and a client that hides nothing of what is on the wire. */
export interface Wire {
  readonly assent: Assent
  readonly serving: HttpServing
  /** One request of 2026-07-28. */
  ask(method: string, params?: Record<string, unknown>, sending?: Sending): Promise<Reply>
  /** The same as it is, before anything of it was read. */
  open(method: string, params?: Record<string, unknown>, sending?: Sending): Promise<Response>
  /** Any request. */
  post(body: unknown, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>
}

const version = '2026-07-28'

/** What a client sends that can be asked in every way there is. */
export const able = { capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} } }

export async function everythingOnWire(
  options: Omit<AssentServerOptions, 'name'> = {},
  http: HttpOptions = {},
  assentOptions: AssentOptions = {},
): Promise<Wire> {
  const assent = await anAssent(assentOptions)
  const asking = createAssentServer(assent, { name: 'Everything', ...options })
  const serving = asking.http(() => everythingServer(asking), http)
  onTestFinished(() => serving.close())

  const post: Wire['post'] = (body, headers = {}, signal) =>
    serving.fetch(
      new Request('http://127.0.0.1:3000/mcp', {
        method: 'POST',
        headers: {
          Host: '127.0.0.1:3000',
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      }),
    )
  const open: Wire['open'] = (
    method,
    params = {},
    { capabilities = {}, meta = {}, headers = {}, id = 1, signal } = {},
  ) => {
    const name = params.name ?? params.uri
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'wire', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      ...meta,
    }
    const standard = {
      'MCP-Protocol-Version': version,
      'Mcp-Method': method,
      ...(typeof name === 'string' && { 'Mcp-Name': name }),
    }
    return post({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }, { ...standard, ...headers }, signal)
  }
  return { assent, serving, open, post, ask: async (...args) => replyOf(await open(...args)) }
}

/** What a 2025 client sends first. */
export const initialize = (protocolVersion: string, capabilities: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities, clientInfo: { name: 'wire', version: '1.0.0' } },
})

/** Reads a reply to its end, whichever form it has. */
export async function replyOf(response: Response): Promise<Reply> {
  const { status, headers } = response
  const messages = messagesIn(await response.text())
  return { status, headers, messages, answer: messages.at(-1) ?? {} }
}

/** The messages of a body: one of JSON, or those of a stream. */
function messagesIn(body: string): Message[] {
  if (!/^(event|data|id|retry|:)/m.test(body)) return body === '' ? [] : [JSON.parse(body)]
  return body
    .split('\n')
    .filter((line) => /^data: ./.test(line))
    .map((line) => JSON.parse(line.slice('data: '.length)))
}

export function metaOf(part: Record<string, unknown> | undefined): object {
  return (part?._meta as object | undefined) ?? {}
}

/** Says yes to whatever a round asks, in the way the client declared. */
export function answersTo({ answer }: Reply, content: Record<string, unknown>): Record<string, unknown> {
  const { inputRequests = {}, requestState } = answer.result as {
    inputRequests?: Record<string, { method: string }>
    requestState?: string
  }
  const inputResponses = Object.fromEntries(
    Object.entries(inputRequests).map(([key, { method }]) => [key, responses[method] ?? { action: 'accept', content }]),
  )
  return { inputResponses, ...(requestState !== undefined && { requestState }) }
}

const responses: Record<string, unknown> = {
  'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } },
  'roots/list': { roots: [{ uri: 'file:///here' }] },
}
