import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import { Budget } from '../../../src/base/limits/budget.ts'
import { openUpstream } from '../../../src/gateway/upstream/open.ts'
import {
  defaultUpstreamLimits,
  type UpstreamLimits,
  type UpstreamSettings,
} from '../../../src/gateway/upstream/options.ts'
import { ProcessSlots } from '../../../src/gateway/upstream/stdio/process-slots.ts'
import type {
  DownstreamClient,
  Upstream,
  UpstreamReply,
  UpstreamRequest,
} from '../../../src/gateway/upstream/upstream.ts'
import { localRequester, type Requester } from '../../../src/participant/requester.ts'
import { listening } from '../../support/server/servers.ts'
// @ts-expect-error a program, without types
import { newTools, waits as newWaits } from '../../support/upstream/programs/new-tools.js'
// @ts-expect-error a program, without types
import { oldTools, waits as oldWaits } from '../../support/upstream/programs/old-tools.js'

export interface OpenOptions {
  limits?: Partial<UpstreamLimits>
  clock?: typeof systemClock
  slots?: ProcessSlots
  messages?: Budget
}

/** An upstream that is closed with the test. */
export function opened(
  settings: UpstreamSettings,
  { limits, clock = systemClock, slots, messages }: OpenOptions = {},
): Upstream {
  const upstream = openUpstream(settings, {
    clock,
    self: { name: 'assent', version: '0.1.0' },
    limits: { ...defaultUpstreamLimits, shutdown: 300, ...limits },
    slots: slots ?? new ProcessSlots(),
    messages: messages ?? new Budget(128 * 1_048_576, 32 * 1_048_576),
  })
  onTestFinished(() => upstream.close())
  return upstream
}

export const programOf = (name: string, ...args: string[]) => ({
  name: 'tested',
  command: process.execPath,
  args: [fileURLToPath(new URL(`../../support/upstream/programs/${name}.js`, import.meta.url)), ...args],
})

export const at = (url: URL) => ({ name: 'tested', url })

export const aClient: DownstreamClient = {
  requester: localRequester,
  capabilities: { elicitation: { form: {}, url: {} } },
}

export const clientNamed = (client: string): DownstreamClient => ({
  ...aClient,
  requester: { ...localRequester, client } satisfies Requester,
})

/** A call of a tool. */
export function call(
  upstream: Upstream,
  name: string,
  args: JsonObject = {},
  more: Partial<UpstreamRequest> = {},
): Promise<UpstreamReply> {
  return upstream.request({
    ...aClient,
    method: 'tools/call',
    params: { name, arguments: args, ...more.params },
    signal: new AbortController().signal,
    ...withoutParams(more),
  })
}

function withoutParams({ params: _, ...rest }: Partial<UpstreamRequest>): Partial<UpstreamRequest> {
  return rest
}

/** The text of a call's result, or why there is none. */
export function textOf(reply: UpstreamReply): string {
  if (reply.kind === 'lost') return `lost: ${reply.reason}, sent: ${reply.sent}`
  if (reply.kind !== 'result') return JSON.stringify(reply)
  return ((reply.result.content ?? []) as { text: string }[]).map(({ text }) => text).join()
}

export interface Serving {
  readonly url: URL
  /** The requests received so far. */
  readonly requests: { method: string; headers: IncomingMessage['headers'] }[]
  /** 2025 only: forgets all sessions, as a restarted server does. */
  forget(): void
  readonly sessions: Map<string, StreamableHTTPServerTransport>
  /** How many calls of the tool `wait` have begun, and how many were cancelled. */
  readonly waits: { begun: number; cancelled: number }
}

/** A server of SDK 1.32, with sessions. */
export async function oldServer(options: { json?: boolean; forgets?: 400 | 404 } = {}): Promise<Serving> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const requests: Serving['requests'] = []
  const url = await listening(async (req: IncomingMessage, res: ServerResponse) => {
    requests.push({ method: req.method ?? '', headers: req.headers })
    const id = req.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (known !== undefined) return void known.handleRequest(req, res)
    if (id !== undefined) {
      const error = { code: -32000, message: 'Bad Request: No valid session ID provided' }
      res.writeHead(options.forgets ?? 404, { 'Content-Type': 'application/json' })
      return void res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: options.json ?? false,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await oldTools().connect(transport)
    await transport.handleRequest(req, res)
  })
  return { url, requests, sessions, waits: oldWaits, forget: () => sessions.clear() }
}

/** A server of SDK 2.4 that speaks 2026-07-28 only. */
export async function newServer(responseMode: 'auto' | 'sse' | 'json' = 'auto'): Promise<Serving> {
  const requests: Serving['requests'] = []
  const handler = toNodeHandler(createMcpHandler(() => newTools(), { legacy: 'reject', responseMode }))
  const url = await listening((req: IncomingMessage, res: ServerResponse) => {
    requests.push({ method: req.method ?? '', headers: req.headers })
    void handler(req as never, res as never)
  })
  return { url, requests, sessions: new Map(), waits: newWaits, forget() {} }
}
