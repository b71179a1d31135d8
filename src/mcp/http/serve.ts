import { setMaxListeners } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import {
  type AuthInfo,
  classifyInboundRequest,
  createMcpHandler,
  isJsonContentType,
  PROTOCOL_VERSION_META_KEY,
  type ServerNotifier,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import { type Clock, systemClock } from '../../base/clock.ts'
import { type Duration, milliseconds } from '../../base/durations.ts'
import { BadArgument } from '../../base/errors.ts'
import { isPlainObject } from '../../base/json.ts'
import type { Lease } from '../../base/limits/budget.ts'
import { isLocalSocket } from '../../base/request-source.ts'
import type { Login } from '../../participant/identify.ts'
import { codes } from '../codes.ts'
import type { FastPath } from '../fast-path.ts'
import { fastPathListener } from './fast-path.ts'
import { authenticateBy } from './guard/authenticate.ts'
import { guardAgainstRebinding, guardLocal, notLocal } from './guard/guard.ts'
import { protectedResource } from './guard/resource.ts'
import {
  type Body,
  type BodyLimits,
  type IncomingRequest,
  incomingFrom,
  ownerOf,
  rememberHandover,
  rememberLease,
} from './incoming.ts'
import { type HttpLimits, type SharedLimits, shareLimits } from './limits.ts'
import { nodeListener } from './node.ts'
import { bodyRefusal, idOf, refusal, withEnd } from './replies.ts'
import type { ServerFactory } from './session/served-session.ts'
import { cutOff } from './session/session.ts'
import { isInitialize, keepSessions } from './session/sessions.ts'
import type { SessionSharing } from './session/sharing.ts'
import { listeningBus, type OnListen } from './subscription-bus.ts'

export interface HttpOptions {
  /** Left out: one local participant, and only this machine is served. */
  login?: Login
  /** The program around this endpoint verifies senders by itself, and says with each request who it is. Default: false. */
  isHosted?: boolean
  /** The address that clients use for this server. Default: the login's audience. */
  url?: string
  /** Scopes that every request needs. */
  requiredScopes?: readonly string[]
  /** Host names of this server, besides loopback's and that of `url`. They need a login. */
  allowedHosts?: readonly string[]
  /** Host names of pages that may call this server, besides loopback's and that of `url`. */
  allowedOrigins?: readonly string[]
  /** How long a 2025 session may be idle. Default: 30 minutes. */
  sessionIdle?: Duration
  /** How long the body of a request may take to arrive. Default: 30 seconds. */
  bodyTime?: Duration
  /** Left out: the defaults of `HttpLimits`. */
  limits?: Partial<HttpLimits>
  /** Limits that this endpoint shares with others, instead of `limits`. */
  shared?: SharedLimits
  /** Tried first on each POST over node:http. What it does not handle is served as usual. */
  fastPath?: FastPath
  /** The SDK's own handler of 2026 requests, for a factory whose servers come from another copy of the SDK. */
  createHandler?: typeof createMcpHandler
  /** Lets every instance that shares a store serve the 2025 sessions of this endpoint. Left out: only this process serves them. */
  sharing?: SessionSharing
  /**
   * How long the SDK server of a shared 2025 session may have nothing to do before it is let go. The factory is called again
   * for the same session when one is needed. Left out: each server stays as long as its session.
   */
  serverIdle?: Duration
  /** Called for each 2026 client that subscribes to changes. */
  onListen?: OnListen
  /** Default: the system clock. */
  clock?: Clock
  /** Receives what goes wrong while serving, for the log. */
  onError?: (error: unknown) => void
}

/** One MCP endpoint: 2026-07-28 by the request, 2025 by the session. */
export interface HttpServing {
  /** Sees no socket. Without a login, mount it only on a server that listens on loopback. */
  fetch(request: Request): Promise<Response>
  /** For `http.createServer`. Without a login it refuses sockets from elsewhere. */
  readonly node: RequestListener
  /** The same with what the program around this endpoint knows of the request: who sent it, and its parsed body. */
  handle(message: IncomingMessage, reply: ServerResponse, known: KnownRequest): void
  /** Notifies subscribed 2026 clients of changes. A 2025 session is notified by its own server. */
  readonly notify: ServerNotifier
  /** How many 2025 sessions are open. */
  readonly sessions: number
  /** Ends every session and request. Nothing is served afterwards. */
  close(): Promise<void>
}

/** What the program around an endpoint knows of a request. */
export interface KnownRequest {
  /** Who sent it, where the endpoint is hosted. */
  readonly authInfo?: AuthInfo | undefined
  /** Its body, if it was read and parsed already. */
  readonly body?: unknown
}

export function serveHttp(factory: ServerFactory, options: HttpOptions = {}): HttpServing {
  const {
    login,
    isHosted = false,
    requiredScopes = [],
    allowedHosts = [],
    allowedOrigins = [],
    clock = systemClock,
  } = options
  const shared = options.shared ?? shareLimits(options.limits)
  const { limits, requests, unread } = shared
  const bodies: BodyLimits = { ...limits, requests, bodyMs: milliseconds(options.bodyTime ?? '30s'), clock }
  const onError = options.onError ?? (() => {})
  const isLocal = login === undefined && !isHosted
  if (isLocal && allowedHosts.length > 0) {
    throw new BadArgument('Without a login this server serves this machine only. Leave out allowedHosts, or set login.')
  }
  if (login === undefined && requiredScopes.length > 0) throw new BadArgument('Scopes need a login.')

  const resource = login && protectedResource(login, requiredScopes, options.url)
  const authenticate = login && resource && authenticateBy(login, resource, clock, onError)
  const ownHost = resource === undefined ? [] : [resource.url.hostname]
  const guard = guardAgainstRebinding({
    hosts: [...ownHost, ...allowedHosts],
    origins: [...ownHost, ...allowedOrigins],
  })
  const bus = listeningBus(options.onListen ?? (() => () => {}), onError)
  const modern = (options.createHandler ?? createMcpHandler)(factory, { legacy: 'reject', onerror: onError, bus })
  const sessions = keepSessions(factory, shared, {
    idleMs: milliseconds(options.sessionIdle ?? '30m'),
    clock,
    sharing: options.sharing,
    restMs: options.serverIdle === undefined ? undefined : milliseconds(options.serverIdle),
    // It knows calls in flight that the session's server does not.
    relayed(session, message) {
      const end = options.fastPath?.({ ...relayedRequest, body: { ...message }, session })
      if (end instanceof Promise) end.catch(onError)
    },
  })

  /** Guards first, then authentication, then the body: an unknown sender costs nothing. */
  async function serve(incoming: IncomingRequest): Promise<Response> {
    const { request, authorization, prefetched } = incoming
    const { method, headers } = request
    const refused = guard(request) ?? (isLocal ? guardLocal(request) : undefined)
    if (refused) return refused

    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/.well-known/')) {
      return resource?.respond(method, pathname) ?? refusal(404, 'Not found')
    }

    const authInfo =
      prefetched === undefined || !('authInfo' in prefetched)
        ? await authenticate?.(authorization)
        : prefetched.authInfo
    if (authInfo instanceof Response) return authInfo
    const owner = ownerOf(authInfo)
    incoming.identified?.(owner)

    if (method === 'GET' || method === 'DELETE') return sessions.serve(request, undefined, authInfo)
    if (method !== 'POST') return refusal(405, 'Method not allowed', { headers: { Allow: 'GET, POST, DELETE' } })
    if (!isJsonContentType(headers.get('content-type'))) {
      return refusal(415, 'Unsupported Media Type: Content-Type must be application/json')
    }
    const body = prefetched?.body ?? (await incoming.readBody(owner))
    if (body.kind !== 'json') return bodyRefusal(body.kind, bodies)
    if (prefetched?.handover !== undefined) rememberHandover(request, prefetched.handover)
    rememberLease(request, body.lease)
    return dispatch(request, body, authInfo)
  }

  async function dispatch(
    request: Request,
    { value: parsedBody, memory }: Extract<Body, { kind: 'json' }>,
    authInfo: AuthInfo | undefined,
  ): Promise<Response> {
    if (eraOf(parsedBody, request.headers) === 'legacy') {
      // What a client says of itself is kept for as long as its session.
      if (isInitialize(parsedBody) && memory > limits.initializeBytes) {
        return refusal(413, 'The initialize request says too much about the client', { code: codes.invalidRequest })
      }
      return sessions.serve(request, parsedBody, authInfo)
    }
    const response = await bus.during(parsedBody, authInfo, () =>
      modern.fetch(request, { parsedBody, ...(authInfo !== undefined && { authInfo }) }),
    )
    // The SDK answers 499 without a body to requests that it gives up when it is closed.
    return isClosed && response.status === 499 ? refusal(503, cutOff, { id: idOf(parsedBody) }) : response
  }

  const closing = new AbortController()
  // Each open request listens.
  setMaxListeners(0, closing.signal)
  let isClosed = false
  async function answer(incoming: IncomingRequest): Promise<Response> {
    if (isClosed) return refusal(503, incoming.prefetched?.handover === undefined ? 'This server has stopped.' : cutOff)
    try {
      return await serve(incoming)
    } catch (error) {
      onError(error)
      return refusal(500, 'Internal server error', { code: codes.internalError })
    }
  }

  const node = nodeListener(
    async (incoming, { remoteAddress }) => (isLocal && !isLocalSocket(remoteAddress) ? notLocal() : answer(incoming)),
    { bodies, unread },
  )
  const { fastPath } = options

  return {
    fetch: (request) => answerFetched(incomingFrom(request, bodies), answer),
    node:
      fastPath === undefined
        ? (message, reply) => node(message, reply)
        : fastPathListener(fastPath, node, {
            isOpen: () => !isClosed,
            mayEnter: (guarded, address) =>
              guard(guarded) === undefined &&
              (!isLocal || (guardLocal(guarded) === undefined && isLocalSocket(address))),
            authenticate,
            find: sessions.find,
            bodies,
            unread,
            closing: closing.signal,
            onError,
          }),
    handle(message, reply, known) {
      const length = Number(message.headers['content-length'] ?? 0)
      node(message, reply, {
        ...(isHosted && { authInfo: known.authInfo }),
        ...(known.body !== undefined && { parsed: { value: known.body, length } }),
      })
    },
    notify: modern.notify,
    get sessions() {
      return sessions.size
    },
    async close() {
      isClosed = true
      closing.abort()
      await Promise.all([modern.close(), sessions.close()])
    },
  }
}

/** What reached another instance is answered there. */
const relayedRequest = {
  headers: {},
  authInfo: undefined,
  http: undefined,
  reply: { send() {}, end() {}, onClose() {} },
}

/** Gives the memory of the request's body back when its answer was read, or was given up. */
async function answerFetched(
  incoming: IncomingRequest,
  answer: (incoming: IncomingRequest) => Promise<Response>,
): Promise<Response> {
  let lease: Lease | undefined
  const readBody = async (owner: string) => {
    const body = await incoming.readBody(owner)
    if (body.kind === 'json') lease = body.lease
    return body
  }
  const response = await answer({ ...incoming, readBody })
  if (lease !== undefined && response.body !== null) return withEnd(response, () => lease?.release())
  lease?.release()
  return response
}

/** How a POSTed message is served: on a 2025 session (`legacy`), or as 2026-07-28, which also makes the refusals (`modern`). */
export type Era = 'legacy' | 'modern'

/** Classifies as the SDK does, but skips the SDK's costly checks where the message is unambiguous. */
export function eraOf(body: unknown, headers: Headers): Era {
  const version = headers.get('mcp-protocol-version')
  if (isPlainObject(body) && typeof body.method === 'string' && body.method !== 'initialize') {
    if (claimsEnvelope(body.params)) return 'modern'
    if (version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return 'legacy'
  }
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(version !== null && { protocolVersionHeader: version }),
  })
  return outcome.kind === 'legacy' ? 'legacy' : 'modern'
}

function claimsEnvelope(params: unknown): boolean {
  return isPlainObject(params) && isPlainObject(params._meta) && PROTOCOL_VERSION_META_KEY in params._meta
}
