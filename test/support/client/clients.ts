import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { onTestFinished } from 'vitest'
import { type ElicitationOptions, type ElicitingClient, withElicitation } from '../../../src/client/index.ts'
import { withElicitation as withElicitationV1 } from '../../../src/client/v1.ts'
import type { ScriptedUi } from '../../../src/testing/index.ts'
import { listening } from '../server/servers.ts'

export interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** An eliciting client, with all messages that it sent and received. */
export interface Connected extends ElicitingClient {
  readonly sent: Message[]
  /** The requests of one method that it sent, in order. */
  requests(method: string): Message[]
  readonly received: Message[]
}

type Options = Partial<ElicitationOptions>
export type Connect = (to: URL | Transport, ui: ScriptedUi, options?: Options) => Promise<Connected>

const info = { name: 'tester', version: '1.0.0' }

const newClient =
  (mode: 'legacy' | { pin: string }): Connect =>
  async (to, ui, options) => {
    const client = new Client(info, { versionNegotiation: { mode } })
    const eliciting = withElicitation(client, ui, { server: 'tested', ...options })
    const transport = to instanceof URL ? new StreamableHTTPClientTransport(to) : to
    return connected(client, eliciting, transport)
  }

const oldClient: Connect = async (to, ui, options) => {
  const client = new OldClient(info)
  const eliciting = withElicitationV1(client, ui, { server: 'tested', ...options })
  const transport = to instanceof URL ? new OldHttp(to) : to
  return connected(client as never, eliciting, transport as Transport)
}

async function connected(client: Client, eliciting: ElicitingClient, transport: Transport): Promise<Connected> {
  const sent: Message[] = []
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    sent.push(structuredClone(message) as Message)
    return send(message, options)
  }
  const received: Message[] = []
  let handler: Transport['onmessage']
  Object.defineProperty(transport, 'onmessage', {
    get: () => handler,
    set: (next: Transport['onmessage']) => {
      handler = (message, extra) => {
        received.push(message as Message)
        next?.(message, extra)
      }
    },
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return {
    ...eliciting,
    sent,
    requests: (method) => sent.filter((message) => message.method === method && message.id !== undefined),
    received,
  }
}

export const connectOld = oldClient
export const connect2025 = newClient('legacy')
export const connect2026 = newClient({ pin: '2026-07-28' })

/** Clients of 2025, of either SDK. */
export const of2025: readonly [string, Connect][] = [
  ['SDK 1.32', connectOld],
  ['SDK 2.4', connect2025],
]

/** Clients of every SDK version and era. */
export const everyClient: readonly [string, Connect][] = [...of2025, ['SDK 2.4 of 2026-07-28', connect2026]]

/** A 2025 server without our code, controlled by the test. */
export interface Fake2025 {
  readonly transport: Transport
  /** What the client declared. */
  readonly declared: () => unknown
  /** Asks the client and resolves with its answer. */
  ask(params: Record<string, unknown>): Promise<Message>
  notify(method: string, params: Record<string, unknown>): void
}

export interface Fake2025Options {
  readonly capabilities?: Record<string, unknown>
  readonly track?: (params: Record<string, unknown>, message: Message) => Promise<unknown>
}

/** Thrown by a fake server to answer with an error. */
export class Refusal extends Error {
  readonly error: NonNullable<Message['error']>
  constructor(error: NonNullable<Message['error']>) {
    super(error.message)
    this.error = error
  }
}

export const urlRequired = (...elicitations: Record<string, unknown>[]) =>
  new Refusal({ code: -32_042, message: 'A page is needed', data: { elicitations } })

export const aPage = (elicitationId: string, more: object = {}) => ({
  mode: 'url',
  message: 'Please sign',
  url: `https://sign.example.com/${elicitationId}`,
  elicitationId,
  ...more,
})

export const textResult = (text: string) => ({ content: [{ type: 'text', text }] })

type CallTool = (params: Record<string, unknown>, server: Fake2025, message: Message) => unknown

export function fake2025(callTool: CallTool, { capabilities = {}, track }: Fake2025Options = {}): Fake2025 {
  let declared: unknown
  let ids = 0
  const asked = new Map<unknown, (message: Message) => void>()
  const deliver = (message: Message) =>
    setImmediate(() => transport.onmessage?.({ jsonrpc: '2.0', ...message } as never))

  async function answer(message: Message): Promise<unknown> {
    const { method, params = {} } = message
    if (method === 'initialize') {
      declared = params.capabilities
      const serverInfo = { name: 'fake', version: '1' }
      return { protocolVersion: '2025-11-25', capabilities: { tools: {}, ...capabilities }, serverInfo }
    }
    if (method === 'elicitation/track' && track) return track(params, message)
    return callTool(params, server, message)
  }

  const transport: Transport = {
    async start() {},
    async close() {
      transport.onclose?.()
    },
    async send(sent) {
      const message = sent as Message
      if (message.method === undefined) asked.get(message.id)?.(message)
      else if (message.id !== undefined) {
        const { id } = message
        answer(message).then(
          (result) => deliver({ id, result: result as never }),
          (error) =>
            deliver({ id, error: error instanceof Refusal ? error.error : { code: -32_603, message: `${error}` } }),
        )
      }
    },
  }
  const server: Fake2025 = {
    transport,
    declared: () => declared,
    ask: (params) =>
      new Promise((resolve) => {
        const id = `ask-${ids++}`
        asked.set(id, resolve)
        deliver({ id, method: 'elicitation/create', params })
      }),
    notify: (method, params) => deliver({ method, params }),
  }
  return server
}

/** A call as a 2026 server receives it. */
export interface Call2026 {
  readonly id: unknown
  readonly name: string
  readonly params: Record<string, unknown>
  readonly inputResponses: Record<string, { action: string; content?: unknown }> | undefined
  readonly requestState: string | undefined
  readonly signal: AbortSignal
}

/** A 2026-07-28 server without our code, whose answers come from the test. */
export async function fake2026(answer: (call: Call2026) => unknown, tools: unknown[] = []): Promise<URL> {
  const results: Record<string, unknown> = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {}, resources: {} } },
    'tools/list': { tools },
  }
  const cached = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
  return listening(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const closed = new AbortController()
    response.on('close', () => closed.abort())
    const { inputResponses, requestState } = params
    const name = params.name ?? params.uri
    const known = results[method]
    const result =
      known === undefined
        ? {
            resultType: 'complete',
            ...((await answer({ id, name, params, inputResponses, requestState, signal: closed.signal })) as object),
          }
        : { ...cached, ...(known as object) }
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
}

export const inputRequired = (inputRequests: Record<string, unknown>, requestState?: string) => ({
  resultType: 'input_required',
  inputRequests: Object.fromEntries(
    Object.entries(inputRequests).map(([key, params]) => [key, { method: 'elicitation/create', params }]),
  ),
  ...(requestState !== undefined && { requestState }),
})

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export const textOf = ({ content }: { content: unknown[] }) => (content as { text: string }[])[0]?.text
