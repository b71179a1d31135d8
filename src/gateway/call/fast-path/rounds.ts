import type { ServerContext } from '@modelcontextprotocol/server'
import { clientAnswer } from '../../../asking/answers.ts'
import { type Attached, handled } from '../../../asking/attach.ts'
import { contextOf, type RequestContext } from '../../../asking/context.ts'
import { runTool } from '../../../asking/run-handler.ts'
import type { JsonObject } from '../../../base/json.ts'
import { codes } from '../../../mcp/codes.ts'
import type { FastEnd, FastHttp, FastRequest } from '../../../mcp/fast-path.ts'
import type { Route, Scope } from '../../catalog/route.ts'
import { askingAt } from '../../catalog/route.ts'
import type { GatewayContext } from '../../context.ts'
import { inNameOf } from '../../forward/forward.ts'
import { resultFor } from '../../forward/result-for.ts'
import { progressOf } from '../../forward/upstream-progress.ts'
import type { DownstreamClient } from '../../upstream/upstream.ts'
import { perRequestRevision } from '../../upstream/wire/per-request.ts'
import { callTool } from '../call-tool.ts'
import { repeatsArguments } from '../param-headers.ts'
import { CapturedCall } from './captured-call.ts'
import type { PlainCall } from './read-call.ts'

/** A call that was read, and whose server and client were found. */
export interface RoundRequest {
  readonly request: FastRequest
  readonly call: PlainCall
  readonly route: Route
  readonly client: DownstreamClient
}

/**
 * Rounds of 2026 clients over HTTP whose upstream asks by forms, without an SDK server in between. This is transport
 * only: the request gets the same context and the same handler as in an SDK server.
 */
export interface Rounds {
  /** Serves a request that brings answers, if forms are all that its walk asked. */
  retry(round: RoundRequest): FastEnd | Promise<FastEnd>
  /** Goes on with a call whose upstream asks. What it leaves alone is handed over as it came. */
  goOn(round: RoundRequest, started: Extract<FastEnd, { kind: 'started' }>): FastEnd | Promise<FastEnd>
}

const notHandled: FastEnd = { kind: 'not-handled' }
const answered: FastEnd = { kind: 'answered' }

export function serveRounds(gateway: GatewayContext, scope: Scope): Rounds {
  const attached: Attached = {
    settings: askingAt(gateway, scope),
    server: {
      getNegotiatedProtocolVersion: () => perRequestRevision,
      getClientVersion: () => undefined,
      getClientCapabilities: () => undefined,
      notification: () => Promise.resolve(),
    },
    tools: undefined,
    ready: Promise.resolve(),
    // Only asked for clients that stay connected.
    connected: () => AbortSignal.abort(),
  }
  return {
    retry(round) {
      const { client, route } = round
      const tool = gateway.catalog.knownTool(route.server, route.name, client)
      // The SDK server compares headers with arguments, and requests of upstreams with what the client declared.
      if (tool === undefined || repeatsArguments(tool.item.inputSchema) || !isServed(round)) return notHandled
      return serve({ gateway, attached, round, otherwise: notHandled })
    },
    goOn(round, started) {
      const { handover } = started
      if (!(handover instanceof CapturedCall) || !handover.asksByForms || !isServed(round)) return started
      return serve({ gateway, attached, round, otherwise: started, captured: handover })
    },
  }
}

function isServed({ request: { http, session }, call: { envelope }, client }: RoundRequest): boolean {
  return (
    http !== undefined && session === undefined && envelope !== undefined && client.capabilities.sampling === undefined
  )
}

interface Serving {
  readonly gateway: GatewayContext
  readonly attached: Attached
  readonly round: RoundRequest
  /** What becomes of a request that is not handled here. */
  readonly otherwise: FastEnd
  readonly captured?: CapturedCall
}

async function serve({ gateway, attached, round, otherwise, captured }: Serving): Promise<FastEnd> {
  const { request, call, route } = round
  const exchange = new Exchange(request.http as FastHttp, call.id)
  const params = { name: call.name, arguments: call.given }
  try {
    const result = await handled(attached, { method: 'tools/call', params }, contextFor(round, exchange), (_, ctx) => {
      const context = contextOf(ctx)
      const isPlain = captured === undefined ? isPlainRetry(inNameOf(context, route.server)) : context.modes.form
      if (!isPlain) throw new LeftAlone()
      return runTool(context, (_, asked) => callTool(gateway, context, asked, route, () => captured))
    })
    if (exchange.isGone) return answered
    request.reply.send(
      { jsonrpc: '2.0', id: call.id, result: resultFor(result as JsonObject, gateway.self) },
      undefined,
    )
  } catch (error) {
    if (error instanceof LeftAlone) return exchange.isGone ? answered : otherwise
    if (!exchange.isGone) exchange.fail(error)
  } finally {
    exchange.end()
  }
  return answered
}

/** Thrown before anything was done about a request. */
class LeftAlone {}

/** Whether a walk asked forms only, and its client answers them in a way that nobody else has to be asked. */
function isPlainRetry(context: RequestContext): boolean {
  const { walk, modes, responses, inbox } = context
  if (!modes.form || progressOf(context)?.kind !== 'input-required') return false
  for (const { askedAt, record, elsewhere } of Object.values(walk.pending)) {
    if (askedAt === undefined || record !== undefined || elsewhere !== undefined) return false
  }
  // A no that came too soon may be nobody's, and then waits in the inbox.
  return !inbox() || [...responses.values()].every((response) => clientAnswer(response)?.action === 'accept')
}

/** The headers that Assent's own handlers read. */
const readHeaders = new Set(['user-agent', 'traceparent', 'tracestate'])

/** What a handler gets from an SDK server, as far as Assent's own handlers use it. */
function contextFor({ request, call }: RoundRequest, exchange: Exchange): ServerContext {
  const { authInfo } = request
  const { retry } = call
  const headers = {
    get: (name: string) => (readHeaders.has(name) ? (request.headers?.[name] ?? null) : null),
    // `readCall` leaves requests alone that repeat arguments in headers, which are all that is ever passed on.
    *[Symbol.iterator]() {},
  }
  return {
    mcpReq: {
      id: call.id,
      method: 'tools/call',
      _meta: call.meta,
      envelope: call.envelope,
      ...(retry?.inputResponses !== undefined && { inputResponses: retry.inputResponses }),
      requestState: () => retry?.requestState,
      signal: exchange.signal,
      send: () => Promise.reject(new TypeError('A 2026 client is asked by a result.')),
      notify: (notification: JsonObject) => exchange.notify(notification),
    },
    http: { req: { headers }, ...(authInfo !== undefined && { authInfo }) },
  } as unknown as ServerContext
}

/** One request over HTTP, until it is answered or its client is gone. */
class Exchange {
  isGone = false
  readonly #http: FastHttp
  readonly #id: PlainCall['id']
  readonly #gone = new AbortController()
  /** To be called when the request is answered, or left to others. */
  readonly end: () => void

  constructor(http: FastHttp, id: PlainCall['id']) {
    this.#http = http
    this.#id = id
    this.end = http.onGone(id, () => {
      this.isGone = true
      this.#gone.abort()
    })
  }

  get signal(): AbortSignal {
    return this.#gone.signal
  }

  async notify(notification: JsonObject): Promise<void> {
    if (!this.isGone) this.#http.notify({ jsonrpc: '2.0', ...notification })
  }

  /** Answers with the error that a handler threw, as the SDK does. */
  fail(error: unknown): void {
    const { code, message = 'Internal error', data } = error as { code?: unknown; message?: string; data?: JsonObject }
    const known = Number.isSafeInteger(code) ? (code as number) : codes.internalError
    const response = {
      jsonrpc: '2.0',
      id: this.#id,
      error: { code: known, message, ...(data !== undefined && { data }) },
    }
    // The only error of a handler that is one of HTTP as well (B26-10).
    this.#http.refuse(known === codes.missingCapability ? 400 : 200, response)
  }
}
