import { randomUUID } from 'node:crypto'
import type {
  AuthInfo,
  JSONRPCResultResponse,
  McpRequestContext,
  McpServer,
  McpServerFactory,
  Server,
} from '@modelcontextprotocol/server'
import type { Clock } from '../../../base/clock.ts'
import { leaseOf, ownerOf } from '../incoming.ts'
import type { SharedLimits } from '../limits.ts'
import { idOf, refusal, sessionNotFound } from '../replies.ts'
import { keepForReplay } from './replay.ts'
import { type Session, SessionTransport } from './session.ts'
import type { PooledSession } from './session-pool.ts'

/** What a server is built for: one 2026 request, or one 2025 session. */
export interface ServingContext extends McpRequestContext {
  /** Only for a 2025 session. */
  readonly session?: Session
}

/** Builds a new server for each request (2026) or session (2025). Any factory of the SDK is one. */
export type ServerFactory = (context: ServingContext) => ReturnType<McpServerFactory>

interface OpenSession extends Session, PooledSession {
  readonly transport: SessionTransport
  /** Set when the session was initialized. */
  server?: McpServer | Server
  /** Made when it is found for the first time. */
  found?: FoundSession
  /** Counts what keeps it from being idle besides unanswered requests: open streams, requests being read. */
  holds: number
  usedAt: number
}

/** A session that is open, and its own server. */
export interface FoundSession extends Session {
  readonly server: Server
  /**
   * Takes the id of a request, and keeps the session from being idle, until the returned function is called.
   * Undefined if a request of this id is under way.
   */
  hold(id: string | number): (() => void) | undefined
  /** Takes the client's answer to a request that the session's server sent. */
  receive(answer: JSONRPCResultResponse): void
}

/** The 2025 sessions of one endpoint. Each has an SDK server of its own, and belongs to the client that opened it. */
export interface Sessions {
  serve(request: Request, body: unknown, authInfo: AuthInfo | undefined): Promise<Response>
  /** The session of this id, if it belongs to the sender. */
  find(id: string, authInfo: AuthInfo | undefined): FoundSession | undefined
  readonly size: number
  close(): Promise<void>
}

/** `idleMs`: how long a session may be idle before it is closed. */
export function keepSessions(
  factory: ServerFactory,
  { limits, sessions: pool, replays }: Pick<SharedLimits, 'limits' | 'sessions' | 'replays'>,
  idleMs: number,
  clock: Clock,
): Sessions {
  // Ordered by last use, the longest unused first.
  const sessions = new Map<string, OpenSession>()
  let callOffSweep: (() => void) | undefined

  async function serve(request: Request, body: unknown, authInfo: AuthInfo | undefined): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id === null) {
      if (isInitialize(body)) return open(request, body, authInfo)
      return refusal(400, 'Bad Request: Mcp-Session-Id header is required', { id: idOf(body) })
    }
    const session = sessions.get(id)
    if (session === undefined || session.owner !== ownerOf(authInfo)) return sessionNotFound(body)

    const release = hold(session)
    try {
      const response = await session.transport.handleRequest(request, forward(body, authInfo))
      const requestId = idOf(body)
      const lease = requestId === null ? undefined : leaseOf(request)
      if (requestId !== null && lease !== undefined) session.transport.holdUntilAnswered(requestId, lease)
      return request.method === 'GET' && response.ok ? withEnd(response, hold(session)) : response
    } finally {
      release()
    }
  }

  async function open(request: Request, body: unknown, authInfo: AuthInfo | undefined): Promise<Response> {
    const owner = ownerOf(authInfo)
    if (!pool.makeRoom(owner)) {
      const message = 'Too many sessions are open. End those that are not needed, or try again later.'
      return refusal(503, message, { id: idOf(body), headers: { 'Retry-After': '30' } })
    }
    const id = randomUUID()
    const replay = limits.replay > 0 ? keepForReplay(limits.replay, (bytes) => replays.lease(owner, bytes)) : undefined
    const ending = new AbortController()
    const transport: SessionTransport = new SessionTransport(
      // A client that lost its stream reconnects after a second.
      { sessionIdGenerator: () => id, retryInterval: 1_000, ...(replay && { eventStore: replay }) },
      () => touch(session),
    )
    const session: OpenSession = {
      id,
      closed: ending.signal,
      transport,
      owner,
      holds: 0,
      usedAt: clock.now().getTime(),
      isIdle: () => session.holds === 0 && transport.isQuiet,
      close: () => closeSoon(transport),
    }
    transport.onclose = () => {
      sessions.delete(id)
      pool.delete(session)
      replay?.close()
      ending.abort()
    }
    // Counted from here on, so that many simultaneous clients do not exceed the limit.
    sessions.set(id, session)
    pool.add(session)
    const release = hold(session)
    armSweep()

    let response: Response | undefined
    try {
      const server = await factory({
        era: 'legacy',
        ...(authInfo !== undefined && { authInfo }),
        requestInfo: request,
        session: { id, closed: ending.signal },
      })
      await server.connect(transport)
      session.server = server
      response = await transport.handleRequest(request, forward(body, authInfo))
      return response
    } finally {
      // The client never got the id of this session, so it will not end it.
      if (response?.ok !== true) await transport.close()
      release()
    }
  }

  function touch(session: OpenSession): void {
    // The last answer of a closed session must not add it again.
    if (!sessions.delete(session.id)) return
    session.usedAt = clock.now().getTime()
    sessions.set(session.id, session)
    pool.touch(session)
  }

  /** Keeps the session from being idle until the returned function is called. Calling that twice does no harm. */
  function hold(session: OpenSession): () => void {
    let isHeld = true
    session.holds += 1
    return () => {
      if (isHeld) session.holds -= 1
      isHeld = false
      touch(session)
    }
  }

  function foundSession(session: OpenSession, server: McpServer | Server): FoundSession {
    return {
      id: session.id,
      closed: session.closed,
      server: 'server' in server ? server.server : server,
      hold(requestId) {
        const free = session.transport.take(requestId)
        if (free === undefined) return undefined
        const release = hold(session)
        return () => {
          free()
          release()
        }
      },
      receive(answer) {
        touch(session)
        session.transport.onmessage?.(answer)
      },
    }
  }

  function armSweep(): void {
    if (callOffSweep !== undefined) return
    const [oldest] = sessions.values()
    if (oldest === undefined) return
    const unused = clock.now().getTime() - oldest.usedAt
    callOffSweep = clock.after(Math.max(idleMs - unused, idleMs / 10), sweep)
  }

  function sweep(): void {
    callOffSweep = undefined
    const before = clock.now().getTime() - idleMs
    for (const session of [...sessions.values()]) {
      if (session.usedAt > before) break
      if (session.isIdle()) session.close()
    }
    armSweep()
  }

  return {
    serve,
    find(id, authInfo) {
      const session = sessions.get(id)
      const server = session?.server
      if (session === undefined || server === undefined || session.owner !== ownerOf(authInfo)) return undefined
      session.found ??= foundSession(session, server)
      return session.found
    },
    get size() {
      return sessions.size
    },
    async close() {
      callOffSweep?.()
      callOffSweep = undefined
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()))
    },
  }
}

/** Closing answers what is open first; a stream that fails meanwhile is of no use to anybody. */
function closeSoon(transport: SessionTransport): void {
  transport.close().catch(() => {})
}

export const isInitialize = (body: unknown) => (body as { method?: unknown } | undefined)?.method === 'initialize'

function forward(parsedBody: unknown, authInfo: AuthInfo | undefined) {
  return { ...(parsedBody !== undefined && { parsedBody }), ...(authInfo !== undefined && { authInfo }) }
}

/** The same response. `ended` is called when its body was read to the end, given up, or both. */
export function withEnd(response: Response, ended: () => void): Response {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value } = await reader.read()
      if (value !== undefined) return controller.enqueue(value)
      ended()
      controller.close()
    },
    cancel(reason) {
      ended()
      return reader.cancel(reason)
    },
  })
  return new Response(body, response)
}
