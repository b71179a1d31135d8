import {
  Client,
  type ClientCapabilities,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'

/** What a client was asked, as its handler gets it. */
export interface Asked {
  readonly mode?: 'form' | 'url'
  readonly message: string
  readonly requestedSchema?: { properties: Record<string, Record<string, unknown>>; required?: string[] }
  readonly url?: string
  readonly elicitationId?: string
  readonly _meta?: Readonly<Record<string, unknown>>
}

export interface Reply {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Record<string, string | number | boolean | string[]>
}

export type Answers = (asked: Asked, signal?: AbortSignal) => Reply | Promise<Reply>

export interface Result {
  readonly text: string
  readonly isError: boolean
  readonly outcome: { status: string; reason: string } | undefined
  readonly meta: Readonly<Record<string, unknown>> | undefined
  readonly structuredContent: unknown
}

/** A client with a person at it, whichever SDK it comes from. */
export interface AskedClient {
  readonly revision: string
  /** Everything the person was asked, in order. */
  readonly asked: Asked[]
  /** The elicitations that the server said are complete. */
  readonly completed: string[]
  /** How many requests the client sent. */
  readonly sent: { method?: string; id?: unknown }[]
  /** Every byte the client got from the server. */
  received(): string
  /** From now on the person answers so. */
  answers(how: Answers): void
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Result>
  prompt(name: string, args?: Record<string, string>): Promise<string>
  read(uri: string): Promise<string>
  request(method: string, params: Record<string, unknown>, options?: CallOptions): Promise<Record<string, unknown>>
  listTools(): Promise<unknown>
  /** Ends the 2025 session, as a client does that will not come back. */
  endSession(): Promise<void>
  close(): Promise<void>
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: { progress: number }) => void
}

/** The SDKs give up after a minute, in which a busy machine may not have answered. */
export const patient = { timeout: 600_000 }

/** Where the server is: at a url, at the other end of a transport, or a process to start. */
export type Target =
  | { readonly url: URL; readonly token?: string }
  | { readonly transport: Transport }
  | { readonly args: string[]; readonly env: Record<string, string> }

export interface ConnectOptions {
  /** What the client declares; undefined: nothing. */
  readonly elicitation?: Record<string, unknown> | undefined
  /** It answers questions as if it had declared `elicitation`, and declares nothing. */
  readonly declaresNothing?: boolean
  readonly info?: { name: string; version: string }
  /** The User-Agent header of its requests over HTTP. */
  readonly userAgent?: string | undefined
  /** The `_meta` of its calls. */
  readonly meta?: Record<string, unknown> | undefined
}

export type Connect = (target: Target, options?: ConnectOptions) => Promise<AskedClient>

interface Told {
  asked: Asked[]
  completed: string[]
  sent: { method?: string; id?: unknown }[]
  bytes: string[]
  answers: Answers
}

interface AnyTransport {
  onmessage?: unknown
  send(message: never, options?: never): Promise<void>
}

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

/** The message without what its client declares. */
function undeclared(message: { method?: string; params?: object }): typeof message {
  const { _meta, ...params } = (message.params ?? {}) as { _meta?: Record<string, unknown> }
  if (message.method === 'initialize') return { ...message, params: { ...message.params, capabilities: {} } }
  if (_meta?.[capabilitiesKey] === undefined) return message
  return { ...message, params: { ...params, _meta: { ..._meta, [capabilitiesKey]: {} } } }
}

interface Changed {
  readonly offer?: string | undefined
  readonly declaresNothing?: boolean | undefined
}

/** A transport that writes down what passes, and may change the version that a client offers, and what it declares. */
function watched<T extends AnyTransport>(transport: T, told: Told, { offer, declaresNothing }: Changed = {}): T {
  let hear: ((...args: unknown[]) => void) | undefined
  Object.defineProperty(transport, 'onmessage', {
    get: () => hear,
    set: (next: typeof hear) => {
      hear = (...args) => {
        told.bytes.push(JSON.stringify(args[0]))
        next?.(...args)
      }
    },
  })
  const send = transport.send.bind(transport) as (message: unknown, options?: unknown) => Promise<void>
  transport.send = (given: { method?: string; params?: object }, options?: unknown) => {
    const message = declaresNothing === true ? undeclared(given) : given
    told.sent.push(message)
    const isOffer = offer !== undefined && message.method === 'initialize'
    return send(isOffer ? { ...message, params: { ...message.params, protocolVersion: offer } } : message, options)
  }
  return transport
}

/** Fetch that writes down everything that comes back, as it comes. */
const listening =
  (told: Told) =>
  async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init)
    told.bytes.push(JSON.stringify([...response.headers]))
    if (response.body === null) return response
    const decoder = new TextDecoder()
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          told.bytes.push(decoder.decode(chunk, { stream: true }))
          controller.enqueue(chunk)
        },
      }),
    )
    return new Response(body, { status: response.status, headers: response.headers })
  }

const httpOptions = (told: Told, token?: string, userAgent?: string) => ({
  fetch: listening(told),
  requestInit: {
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(userAgent !== undefined && { 'User-Agent': userAgent }),
    },
  },
})
const processOf = ({ args, env }: Extract<Target, { args: string[] }>, told: Told) => ({
  command: process.execPath,
  args,
  env,
  stderr: 'pipe' as const,
  told,
})

function transportTo<Http, Stdio>(
  target: Target,
  http: (url: URL, token?: string) => Http,
  stdio: (started: Extract<Target, { args: string[] }>) => Stdio,
): Http | Stdio | Transport {
  if ('transport' in target) return target.transport
  return 'url' in target ? http(target.url, target.token) : stdio(target)
}

function startTelling(): Told {
  return {
    asked: [],
    completed: [],
    sent: [],
    bytes: [],
    answers: ({ message }) => {
      throw new Error(`nobody expected to be asked: ${message}`)
    },
  }
}

const heard = async (told: Told, params: unknown, signal?: AbortSignal) => {
  told.asked.push(params as Asked)
  return told.answers(params as Asked, signal)
}

const tester = { name: 'tester', version: '1.0.0' }

interface Sdk2Options {
  readonly mode: 'legacy' | 'auto' | { pin: string }
  readonly versions?: string[]
}

const sdk2 =
  ({ mode, versions }: Sdk2Options): Connect =>
  async (target, { info = tester, userAgent, meta, declaresNothing, ...declared } = {}) => {
    const told = startTelling()
    const elicitation = 'elicitation' in declared ? declared.elicitation : { form: {}, url: {} }
    const client = new Client(info, {
      capabilities: (elicitation === undefined ? {} : { elicitation }) as ClientCapabilities,
      versionNegotiation: { mode },
      ...(versions && { supportedProtocolVersions: versions }),
    })
    if (elicitation !== undefined)
      client.setRequestHandler('elicitation/create', async ({ params }, ctx) => ({
        ...(await heard(told, params, ctx.mcpReq.signal)),
      }))
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
      told.completed.push(params.elicitationId)
    })
    const transport = transportTo(
      target,
      (url, token) => new StreamableHTTPClientTransport(url, httpOptions(told, token, userAgent)),
      (started) => new StdioClientTransport(processOf(started, told)),
    )
    await client.connect(watched(transport as never, told, { declaresNothing }))
    return {
      ...common(told),
      revision: client.getNegotiatedProtocolVersion() ?? '',
      call: async (name, args = {}, options) =>
        readResult(
          await client.callTool({ name, arguments: args, ...(meta && { _meta: meta }) }, { ...patient, ...options }),
        ),
      prompt: async (name, args = {}) => readPrompt(await client.getPrompt({ name, arguments: args }, patient)),
      read: async (uri) => readResource(await client.readResource({ uri }, patient)),
      request: (method, params, options) =>
        client.request({ method, params }, anything as never, { ...patient, ...options }) as never,
      listTools: () => client.listTools({}, patient),
      endSession: async () => {
        if ('terminateSession' in transport)
          await (transport as { terminateSession(): Promise<void> }).terminateSession()
      },
      close: () => client.close(),
    }
  }

const sdk1 =
  (offer?: string): Connect =>
  async (target, { info = tester, userAgent, meta, ...declared } = {}) => {
    const told = startTelling()
    const elicitation = 'elicitation' in declared ? declared.elicitation : { form: {}, url: {} }
    const client = new OldClient(info, { capabilities: elicitation === undefined ? {} : { elicitation } })
    if (elicitation !== undefined)
      client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => heard(told, params, signal) as never)
    client.fallbackNotificationHandler = async ({ method, params }) => {
      if (method === 'notifications/elicitation/complete') told.completed.push(String(params?.elicitationId))
    }
    const transport = transportTo(
      target,
      (url, token) => new OldHttp(url, httpOptions(told, token, userAgent) as never),
      (started) => new OldStdio(processOf(started, told)),
    )
    let revision = ''
    const versioned = transport as { setProtocolVersion?: (version: string) => void }
    const setVersion = versioned.setProtocolVersion?.bind(transport)
    versioned.setProtocolVersion = (version) => {
      revision = version
      setVersion?.(version)
    }
    await client.connect(watched(transport as never, told, { offer }))
    return {
      ...common(told),
      revision,
      call: async (name, args = {}, options) =>
        readResult(
          await client.callTool({ name, arguments: args, ...(meta && { _meta: meta }) }, undefined, {
            ...patient,
            ...options,
          } as never),
        ),
      prompt: async (name, args = {}) => readPrompt(await client.getPrompt({ name, arguments: args }, patient)),
      read: async (uri) => readResource(await client.readResource({ uri }, patient)),
      request: (method, params, options) =>
        client.request({ method, params } as never, passing as never, { ...patient, ...options } as never) as never,
      listTools: () => client.listTools({}, patient),
      endSession: async () => {
        if ('terminateSession' in transport)
          await (transport as { terminateSession(): Promise<void> }).terminateSession()
      },
      close: () => client.close(),
    }
  }

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
}
/** The old SDK reads results by zod. */
const passing = z.looseObject({})

function common(told: Told) {
  return {
    asked: told.asked,
    completed: told.completed,
    sent: told.sent,
    received: () => told.bytes.join('\n'),
    answers: (how: Answers) => {
      told.answers = how
    },
  }
}

function readResult(result: unknown): Result {
  const { content, isError, structuredContent, _meta } = result as Record<string, never> & { content: unknown[] }
  return {
    text: (content as { text?: string }[]).map(({ text }) => text).join('\n'),
    isError: isError === true,
    outcome: _meta?.['assent/outcome'],
    meta: _meta,
    structuredContent,
  }
}

function readPrompt(result: unknown): string {
  return (result as { messages: { content: { text: string } }[] }).messages.map(({ content }) => content.text).join()
}

function readResource(result: unknown): string {
  return (result as { contents: { text: string }[] }).contents.map(({ text }) => text).join()
}

/** Every client in use, and the revision it settles on. */
export const everyClient: readonly { name: string; revision: string; connect: Connect }[] = [
  { name: 'SDK 1.32 of 2025-06-18', revision: '2025-06-18', connect: sdk1('2025-06-18') },
  { name: 'SDK 1.32', revision: '2025-11-25', connect: sdk1() },
  {
    name: 'SDK 2.4 of 2025-06-18',
    revision: '2025-06-18',
    connect: sdk2({ mode: 'legacy', versions: ['2025-06-18'] }),
  },
  { name: 'SDK 2.4 legacy', revision: '2025-11-25', connect: sdk2({ mode: 'legacy' }) },
  { name: 'SDK 2.4 auto', revision: '2026-07-28', connect: sdk2({ mode: 'auto' }) },
  { name: 'SDK 2.4 pinned', revision: '2026-07-28', connect: sdk2({ mode: { pin: '2026-07-28' } }) },
]

export const connect06 = sdk2({ mode: 'legacy', versions: ['2025-06-18'] })
export const connect11 = sdk2({ mode: 'legacy' })
export const connectOld = sdk1()
export const connect26 = sdk2({ mode: { pin: '2026-07-28' } })
