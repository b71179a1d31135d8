import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ToolTimedOut, withElicitation } from '../../src/client/index.ts'
import { withElicitation as withElicitationV1 } from '../../src/client/v1.ts'
import { type ScriptedUi, scriptedUi } from '../../src/testing/index.ts'
import {
  aPage,
  connect2026,
  everyClient,
  fake2025,
  fake2026,
  inputRequired,
  type Message,
  of2025,
  textOf,
  textResult,
  urlRequired,
} from '../support/client/clients.ts'
import { listening, until } from '../support/server/servers.ts'

const info = { name: 'tester', version: '1.0.0' }
const nameForm = {
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
}
const ada = () => ({ action: 'accept', content: { name: 'Ada' } }) as const

/** A request that an HTTP server received. */
interface Got {
  readonly method: string
  readonly search: string
  readonly headers: IncomingMessage['headers']
  readonly message: Message | undefined
}

/** An HTTP server of both eras without our code, which records all requests. */
async function fakeHttp(answer: (got: Got, response: ServerResponse) => unknown) {
  const got: Got[] = []
  const url = await listening(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    const { method = '', headers } = request
    const { search } = new URL(request.url ?? '', 'http://x')
    const one = { method, search, headers, message: body === '' ? undefined : JSON.parse(body) }
    got.push(one)
    await answer(one, response)
  })
  return { url, got, requests: (method: string) => got.filter(({ message }) => message?.method === method) }
}

const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
const discovered = { ...complete, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'f', version: '1' },
}

/** The results with which a server completes the handshake. */
const greetingOf = (method: string | undefined) =>
  ({ 'server/discover': discovered, initialize: initialized })[method ?? '']

function reply(response: ServerResponse, form: 'JSON' | 'SSE', { id }: Message, result: object): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id, result })
  response.setHeader('Content-Type', form === 'JSON' ? 'application/json' : 'text/event-stream')
  response.end(form === 'JSON' ? body : `event: message\ndata: ${body}\n\n`)
}

/** Answers everything but requests: GET streams, which are not offered, and notifications. */
function replyToOthers({ method, message }: Got, response: ServerResponse): boolean {
  if (method === 'POST' && message?.id !== undefined) return false
  response.writeHead(method === 'POST' ? 202 : 405).end()
  return true
}

describe.each(['JSON', 'SSE'] as const)('a server that replies as %s', (form) => {
  test.each(everyClient)('is understood by %s (H26-02)', async (_name, connect) => {
    const { url } = await fakeHttp((got, response) => {
      if (replyToOthers(got, response)) return
      const message = got.message as Message
      reply(response, form, message, greetingOf(message.method) ?? { ...complete, ...textResult('hello') })
    })
    const client = await connect(url, scriptedUi())
    expect(textOf(await client.callTool({ name: 'x' }))).toBe('hello')
  })
})

describe('a stream of 2026-07-28 that breaks', () => {
  /** A server whose first stream breaks after this text. */
  const breakingAfter = (text: string) =>
    fakeHttp((got, response) => {
      if (replyToOthers(got, response)) return
      const message = got.message as Message
      const greeting = greetingOf(message.method)
      if (greeting !== undefined) return reply(response, 'JSON', message, greeting)
      if (message.params?.name === 'again')
        return reply(response, 'SSE', message, { ...complete, ...textResult('hello') })
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write(text, () => response.destroy())
    })
  // The SDK's transport resumes any stream with event ids, in either era, unless it is configured not to.
  const reconnectionOptions = {
    initialReconnectionDelay: 10,
    maxReconnectionDelay: 10,
    reconnectionDelayGrowFactor: 1,
    maxRetries: 0,
  }

  test.each([
    { what: 'without event ids', text: ': working\n\n', options: {} },
    { what: 'with event ids, if its host retries none', text: 'id: 1\ndata:\n\n', options: { reconnectionOptions } },
  ])('is not resumed, $what: the call times out, and the next is a new request (H26-10)', async ({ text, options }) => {
    const { url, got, requests } = await breakingAfter(text)
    const transport = new StreamableHTTPClientTransport(url, options)
    const client = await connect2026(transport, scriptedUi())
    await expect(client.callTool({ name: 'x' }, { timeoutMs: 300 })).rejects.toBeInstanceOf(ToolTimedOut)
    expect(textOf(await client.callTool({ name: 'again' }))).toBe('hello')

    const ids = requests('tools/call').map(({ message }) => message?.id)
    expect(new Set(ids).size).toBe(2)
    expect(got.filter(({ method, headers }) => method === 'GET' || 'last-event-id' in headers)).toEqual([])
  })
})

describe('what the other side does not offer', () => {
  test('is not requested: without tracking, the client waits for a page without it (V26-04)', async () => {
    for (const [, connect] of of2025) {
      let isDone = false
      const server = fake2025(() => {
        if (isDone) return textResult('signed')
        throw urlRequired(aPage('p'))
      })
      const done = async () => {
        isDone = true
        return 'done' as const
      }
      const client = await connect(server.transport, scriptedUi({ consentToOpen: ['open'], waiting: [done] }))
      expect(textOf(await client.callTool({ name: 'sign' }))).toBe('signed')
      expect(client.requests('elicitation/track')).toEqual([])
      expect(server.declared()).toEqual({ elicitation: { form: {}, url: {} } })
    }
  })

  test('is not accepted: a task is not a result (V26-04)', async () => {
    const task = { resultType: 'task', taskId: 't', status: 'working' }
    const client = await connect2026(await fake2026(() => task), scriptedUi())
    await expect(client.callTool({ name: 'x' })).rejects.toThrow(/result/i)
    const metas = client.sent.map(({ params }) => params?._meta as Record<string, Record<string, unknown>>)
    for (const meta of metas) {
      const capabilities = meta['io.modelcontextprotocol/clientCapabilities']
      expect(capabilities).toEqual({ elicitation: { form: {}, url: {} } })
    }
  })
})

describe('a schema of a server', () => {
  test('with external references or nested objects is refused, without asking or fetching (B26-12)', async () => {
    let fetched = 0
    const elsewhere = await listening((_request, response) => {
      fetched += 1
      response.end('{}')
    })
    const deep = Array.from({ length: 2_000 }).reduce<object>((inner) => ({ type: 'array', items: inner }), {})
    for (const field of [{ $ref: `${elsewhere}` }, deep]) {
      const requestedSchema = { type: 'object', properties: { field } }
      const ui = scriptedUi({ form: [ada] })
      const client = await connect2026(
        await fake2026(() => inputRequired({ q: { message: 'Q', requestedSchema } })),
        ui,
      )
      await expect(client.callTool({ name: 'x' })).rejects.toMatchObject({ code: -32_602 })
      expect(ui.shown).toEqual([])
    }
    expect(fetched).toBe(0)
  })

  test('without a dialect is read as JSON Schema 2020-12 (B26-12)', async () => {
    const pair = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }
    const outputSchema = { type: 'object', properties: { pair }, required: ['pair'] }
    const tools = [{ name: 'good' }, { name: 'bad' }].map((tool) => ({
      ...tool,
      inputSchema: { type: 'object' },
      outputSchema,
    }))
    const url = await fake2026(
      ({ name }) => ({ content: [], structuredContent: { pair: name === 'good' ? ['a', 1] : [1, 'a'] } }),
      tools,
    )
    const sdk = new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    const client = withElicitation(sdk, scriptedUi(), { server: 'tested' })
    onTestFinished(() => sdk.close())
    await sdk.connect(new StreamableHTTPClientTransport(url))
    await sdk.listTools()
    expect(await client.callTool({ name: 'good' })).toMatchObject({ structuredContent: { pair: ['a', 1] } })
    await expect(client.callTool({ name: 'bad' })).rejects.toThrow(/output schema/)
  })
})

/** A 2025 client that its host connects, again if needed. */
const hosts2025 = [
  {
    name: 'SDK 1.32',
    host: (ui: ScriptedUi) => {
      const sdk = new OldClient(info)
      const client = withElicitationV1(sdk, ui, { server: 'tested' })
      return { sdk, client, http: (url: URL) => new OldHttp(url) }
    },
  },
  {
    name: 'SDK 2.4',
    host: (ui: ScriptedUi) => {
      const sdk = new Client(info)
      const client = withElicitation(sdk, ui, { server: 'tested' })
      return { sdk, client, http: (url: URL) => new StreamableHTTPClientTransport(url) }
    },
  },
]

/** A 2025 server with sessions, which the test can end. */
async function withSessions() {
  const open = new Set<string>()
  let count = 0
  const http = await fakeHttp((got, response) => {
    const session = `${got.headers['mcp-session-id']}`
    if (got.message?.method === 'initialize') {
      open.add(`s${++count}`)
      response.setHeader('Mcp-Session-Id', `s${count}`)
      return reply(response, 'JSON', got.message, initialized)
    }
    if (!open.has(session)) return response.writeHead(404).end()
    if (!replyToOthers(got, response)) reply(response, 'JSON', got.message as Message, textResult(session))
  })
  return { ...http, endAll: () => open.clear() }
}

describe.each(hosts2025)('a session, through $name', ({ host }) => {
  test('that has ended fails the call with a 404; after reconnecting, calls succeed again (H11-02)', async () => {
    const server = await withSessions()
    const { sdk, client, http } = host(scriptedUi())
    onTestFinished(() => sdk.close())
    await sdk.connect(http(server.url) as never)
    expect(textOf(await client.callTool({ name: 'x' }))).toBe('s1')

    server.endAll()
    const error = await client.callTool({ name: 'x' }).catch((error: unknown) => error)
    expect([(error as { code?: unknown }).code, (error as { status?: unknown }).status]).toContain(404)

    await sdk.close()
    await sdk.connect(http(server.url) as never)
    expect(textOf(await client.callTool({ name: 'x' }))).toBe('s2')
    const sessions = server.requests('initialize').map(({ headers }) => headers['mcp-session-id'])
    expect(sessions).toEqual([undefined, undefined])
  })

  test('is deleted by its host at the end, even if the server does not support it (H11-03)', async () => {
    const server = await withSessions()
    const { sdk, client, http } = host(scriptedUi())
    onTestFinished(() => sdk.close())
    const transport = http(server.url)
    await sdk.connect(transport as never)
    await client.callTool({ name: 'x' })
    // The server answers 405.
    await transport.terminateSession()
    const deleted = server.got.filter(({ method }) => method === 'DELETE')
    expect(deleted.map(({ headers }) => headers['mcp-session-id'])).toEqual(['s1'])
  })
})

describe('a token', () => {
  const token = 'secret-token'
  const authProvider = { token: async () => token }

  test.each(['legacy', 'auto'] as const)(
    'is sent in a header of every request and in no query: %s (O-05)',
    async (mode) => {
      let calls = 0
      const server = await fakeHttp((got, response) => {
        if (replyToOthers(got, response)) return
        const message = got.message as Message
        const greeting = greetingOf(message.method)
        if (greeting !== undefined) {
          if (message.method === 'initialize') response.setHeader('Mcp-Session-Id', 's')
          return reply(response, 'JSON', message, greeting)
        }
        const asks = mode === 'auto' && ++calls === 1
        reply(
          response,
          'SSE',
          message,
          asks ? inputRequired({ q: nameForm }, 's') : { ...complete, ...textResult('hello') },
        )
      })
      const sdk = new Client(info, { versionNegotiation: { mode } })
      const client = withElicitation(sdk, scriptedUi({ form: [ada] }), { server: 'tested' })
      onTestFinished(() => sdk.close())
      const transport = new StreamableHTTPClientTransport(server.url, { authProvider })
      await sdk.connect(transport)
      expect(textOf(await client.callTool({ name: 'x' }))).toBe('hello')
      await transport.terminateSession()

      const methods = server.got.map(({ method, message }) => message?.method ?? method)
      expect(methods).toEqual(
        expect.arrayContaining(mode === 'auto' ? ['server/discover', 'tools/call'] : ['initialize', 'GET', 'DELETE']),
      )
      for (const { headers, search, message } of server.got) {
        expect([headers.authorization, search]).toEqual([`Bearer ${token}`, ''])
        expect(JSON.stringify(message ?? {})).not.toContain(token)
      }
    },
  )
})

test.each(['legacy', 'auto'] as const)(
  'cancelling a connect does not cancel initialize: SDK 2.4, %s (X11-01)',
  async (mode) => {
    const sent: Message[] = []
    const transport: Transport = {
      async start() {},
      async close() {
        transport.onclose?.()
      },
      async send(message) {
        const { id, method } = message as Message
        sent.push(message as Message)
        const error = { code: -32_601, message: 'no such thing' }
        // Never answers initialize.
        if (method === 'server/discover')
          setImmediate(() => transport.onmessage?.({ jsonrpc: '2.0', id, error } as never))
      },
    }
    const sdk = new Client(info, { versionNegotiation: { mode } })
    withElicitation(sdk, scriptedUi(), { server: 'tested' })
    const leaving = new AbortController()
    const connecting = sdk.connect(transport, { signal: leaving.signal })
    connecting.catch(() => {})
    await until(() => sent.some(({ method }) => method === 'initialize'))
    leaving.abort()
    await expect(connecting).rejects.toThrow()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(sent.at(-1)?.method).toBe('initialize')
  },
)

/** A stdio server without our code. It records every byte it reads, and answers in pieces. */
const program = `
import { appendFileSync } from 'node:fs'
const { LOG, PROBED } = process.env
const complete = ${JSON.stringify(complete)}
const initialized = ${JSON.stringify(initialized)}
const discovered = ${JSON.stringify(discovered)}
const text = (text) => ({ ...complete, content: [{ type: 'text', text }] })
const asked = { method: 'elicitation/create', params: ${JSON.stringify(nameForm)} }

function resultOf(method, params) {
  if (method === 'initialize') return initialized
  if (method === 'server/discover') {
    if (PROBED === 'dies') process.exit(1)
    return PROBED === 'knows' ? discovered : undefined
  }
  if (params.name === 'hangs') return undefined
  if (params.name === 'echo') return text(params.arguments.text)
  if (params.inputResponses) return text(params.requestState + ' ' + params.inputResponses.q.content.name + ' ' + process.pid)
  return { resultType: 'input_required', inputRequests: { q: asked }, requestState: 'of ' + process.pid }
}

let rest = ''
let saying = Promise.resolve()
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  appendFileSync(LOG, chunk)
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    const result = id === undefined ? undefined : resultOf(method, params)
    if (result === undefined) continue
    const reply = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
    // Pieces may end anywhere, but two replies are never interleaved.
    saying = saying.then(async () => {
      process.stdout.write(reply.subarray(0, 30))
      await new Promise((resolve) => setTimeout(resolve, 10))
      process.stdout.write(reply.subarray(30))
    })
  }
})
process.stdin.on('end', () => process.exit(0))
`

async function onPipes(probed: 'knows' | 'is silent' | 'dies', ui = scriptedUi()) {
  const folder = await mkdtemp(join(tmpdir(), 'assent-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'fake.mjs')
  const log = join(folder, 'log')
  await Promise.all([writeFile(file, program), writeFile(log, '')])
  const env = { LOG: log, PROBED: probed }
  const probe = probed === 'is silent' ? { timeoutMs: 2_000 } : {}
  const sdk = new Client(info, { versionNegotiation: { mode: 'auto', probe } })
  const client = withElicitation(sdk, ui, { server: 'tested' })
  onTestFinished(() => sdk.close())
  const start = async () => {
    const transport = new StdioClientTransport({ command: process.execPath, args: [file], env })
    await sdk.connect(transport)
    return transport.pid as number
  }
  const written = () => readFile(log, 'utf8')
  const messages = async () =>
    (await written())
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Message)
  return { sdk, client, start, written, messages }
}

describe('a process on stdio', () => {
  test('gets exactly one message per line, whatever it contains (T26-01)', async () => {
    const { client, start, written, messages } = await onPipes('knows')
    await start()
    const texts = ['a\nb', 'c\r\nd', '\u2028\u2029\u0085', '{"jsonrpc":"2.0"}\n', '\u{1F512}\n\n', '']
    const calls = texts.map((text) => client.callTool({ name: 'echo', arguments: { text } }))
    expect(await Promise.all(calls).then((results) => results.map(textOf))).toEqual(texts)

    expect(await written()).toMatch(/\n$/)
    expect(await written()).not.toMatch(/\r|\n\n/)
    for (const message of await messages())
      expect(message).toMatchObject({ jsonrpc: '2.0', method: expect.any(String) })
  })

  test.each(['is silent', 'dies'] as const)('that %s when it is probed is initialized (V26-08)', async (probed) => {
    const { sdk, client, start, messages } = await onPipes(probed)
    await start()
    expect(sdk.getNegotiatedProtocolVersion()).toBe('2025-11-25')
    expect((await messages()).slice(0, 2).map(({ method }) => method)).toEqual(['server/discover', 'initialize'])
    expect(textOf(await client.callTool({ name: 'echo', arguments: { text: 'old' } }))).toBe('old')
  })

  test('that exits loses the requests in flight; an open form continues with the next process (T26-04)', async () => {
    const pids: number[] = []
    const lost: unknown[] = []
    const replace = async () => {
      const hanging = client.callTool({ name: 'hangs' }).catch((error: unknown) => lost.push(error))
      await until(async () => (await messages()).some(({ params }) => params?.name === 'hangs'))
      process.kill(pids[0] as number, 'SIGKILL')
      await hanging
      pids.push(await start())
      return ada()
    }
    const { client, start, messages } = await onPipes('knows', scriptedUi({ form: [replace] }))
    pids.push(await start())
    const result = textOf(await client.callTool({ name: 'greet' }))
    expect(new Set(pids).size).toBe(2)
    expect(lost).toEqual([expect.any(Error)])
    expect(result).toBe(`of ${pids[0]} Ada ${pids[1]}`)
  })
})
