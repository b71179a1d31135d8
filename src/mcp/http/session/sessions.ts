import { randomUUID } from 'node:crypto'
import type { AuthInfo, JSONRPCMessage, JSONRPCResultResponse, McpServer, Server } from '@modelcontextprotocol/server'
import type { Clock } from '../../../base/clock.ts'
import type { JsonObject } from '../../../base/json.ts'
import { inBackground } from '../../../base/under-way.ts'
import { leaseOf, ownerOf } from '../incoming.ts'
import type { SharedLimits } from '../limits.ts'
import { idOf, refusal, sessionNotFound, withEnd } from '../replies.ts'
import { rebuild } from './rebuild.ts'
import { hearOthers, pushAt } from './relay.ts'
import { keepForReplay } from './replay.ts'
import type { FoundSession, ServerFactory, Sessions } from './served-session.ts'
import { type Session, SessionTransport } from './session.ts'
import type { PooledSession } from './session-pool.ts'
import {
  endEverywhere,
  makeAllSure,
  makeSure,
  type SharedSession,
  shareMessage,
  streamOpened,
} from './shared-session.ts'
import { type SessionClaims, type SessionSharing, sessionKeyOf } from './sharing.ts'

interface OpenSession extends Session, PooledSession, SharedSession {
  readonly transport: SessionTransport
  /** Set when the session was initialized. */
  server?: McpServer | Server
  /** Made when it is found for the first time. */
  found?: FoundSession
  /** Counts what keeps it from being idle besides unanswered requests: open streams, requests being read. */
  holds: number
  usedAt: number
}

export interface SessionOptions {
  /** How long a session may be idle before it is closed. */
  readonly idleMs: number
  readonly clock: Clock
  /** Lets other instances serve these sessions, and this one those of others. */
  readonly sharing?: SessionSharing | undefined
  /** Called with a message of the client that reached another instance. */
  relayed?(session: FoundSession, message: JSONRPCMessage): void
}

export function keepSessions(
  factory: ServerFactory,
  { limits, sessions: pool, replays }: Pick<SharedLimits, 'limits' | 'sessions' | 'replays'>,
  { idleMs, clock, sharing, relayed }: SessionOptions,
): Sessions {
  // Ordered by last use, the longest unused first.
  const sessions = new Map<string, OpenSession>()
  const byKey = new Map<string, OpenSession>()
  const rebuilding = new Map<string, Promise<OpenSession | 'no-room' | undefined>>()
  let callOffSweep: (() => void) | undefined
  const stopHearing =
    sharing &&
    hearOthers(sharing, {
      message(key, message, opening) {
        const session = byKey.get(key)
        if (session?.server === undefined) return
        if (!('method' in message) && opening !== session.opening) return
        relayed?.(foundAs(session, session.server), message)
        session.transport.deliver(message)
      },
      push: (key, message) =>
        void byKey
          .get(key)
          ?.transport.pass(message)
          .catch(() => {}),
      stream(key, at) {
        const session = byKey.get(key)
        if (session !== undefined) session.stream = at
      },
      level(key, level) {
        const session = byKey.get(key)
        if (session !== undefined) sharing.levelSet(session.id, level)
      },
      revoked: (key) => byKey.get(key)?.close(),
      // What cannot be looked up now is looked up before the session's next request.
      missed: () => inBackground(makeAllSure([...byKey.values()], sharing).catch(() => {})),
    })

  async function serve(request: Request, body: unknown, authInfo: AuthInfo | undefined): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id === null) {
      if (isInitialize(body)) return open(request, body, authInfo)
      return refusal(400, 'Bad Request: Mcp-Session-Id header is required', { id: idOf(body) })
    }
    // While it is rebuilt, its server is not ready.
    const session = (await rebuilding.get(id)) ?? sessions.get(id) ?? (await fromElsewhere(id, request, authInfo))
    if (session === 'no-room') return noRoom(idOf(body))
    if (session === 'ended') return new Response(null, { status: 200 })
    if (session === undefined || session.owner !== ownerOf(authInfo)) return sessionNotFound(body)

    const release = hold(session)
    try {
      if (session.isUnsure === true && !(await makeSure(session, sharing))) return sessionNotFound(body)
      const routed = await shareMessage(session, sharing, request, body)
      if (routed instanceof Response) return routed
      const response = await session.transport.handleRequest(request, forward(routed.body, authInfo))
      if (request.method === 'GET' && response.ok) inBackground(streamOpened(session, sharing).catch(() => {}))
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
    if (!pool.makeRoom(owner)) return noRoom(idOf(body))
    const claims = { owner, initialize: (body as { params?: JsonObject }).params ?? {}, began: clock.now().getTime() }
    const shared = await sharing?.seal(claims)
    const session = add(shared ?? randomUUID(), owner, shared === undefined ? undefined : claims.began)
    const { transport } = session
    const release = hold(session)
    let response: Response | undefined
    try {
      session.server = await connect(session, request, authInfo)
      response = await transport.handleRequest(request, forward(body, authInfo))
      return response
    } finally {
      // The client never got the id of this session, so it will not end it.
      if (response?.ok !== true) await transport.close()
      release()
    }
  }

  /** A session that began at another instance, or here before a restart. Undefined: there is none of this id. */
  async function fromElsewhere(
    id: string,
    request: Request,
    authInfo: AuthInfo | undefined,
  ): Promise<OpenSession | 'no-room' | 'ended' | undefined> {
    const claims = await sharing?.open(id)
    if (sharing === undefined || claims === undefined || claims.owner !== ownerOf(authInfo)) return undefined
    const key = sessionKeyOf(id)
    if (request.method === 'DELETE') {
      if ((await sharing.kept(key))?.isRevoked === true) return undefined
      await endEverywhere(key, claims.began, sharing)
      return 'ended'
    }
    const known = rebuilding.get(id) ?? sessions.get(id)
    if (known !== undefined) return known
    const made = rebuilt(sharing, id, claims, request, authInfo).finally(() => rebuilding.delete(id))
    rebuilding.set(id, made)
    return made
  }

  async function rebuilt(
    sharing: SessionSharing,
    id: string,
    { owner, initialize, began }: SessionClaims,
    request: Request,
    authInfo: AuthInfo | undefined,
  ): Promise<OpenSession | 'no-room' | undefined> {
    if (!pool.makeRoom(owner)) return 'no-room'
    const session = add(id, owner, began)
    const release = hold(session)
    let isUsable = false
    try {
      // Looked up after it was added: whoever revokes it from now on finds it here.
      const kept = await sharing.kept(session.key)
      if (kept?.isRevoked === true) return undefined
      session.stream = kept?.stream === sharing.post.id ? undefined : kept?.stream
      const server = await connect(session, request, authInfo)
      if (kept?.level !== undefined) sharing.levelSet(id, kept.level)
      await rebuild(session.transport, { url: request.url, id }, initialize, authInfo)
      isUsable = !session.closed.aborted
      if (isUsable) session.server = server
      return isUsable ? session : undefined
    } finally {
      if (!isUsable) await session.transport.close()
      release()
    }
  }

  function add(id: string, owner: string, began: number | undefined): OpenSession {
    const key = sessionKeyOf(id)
    const opening = randomUUID()
    const replay = limits.replay > 0 ? keepForReplay(limits.replay, (bytes) => replays.lease(owner, bytes)) : undefined
    const ending = new AbortController()
    const transport: SessionTransport = new SessionTransport(
      // A client that lost its stream reconnects after a second.
      { sessionIdGenerator: () => id, retryInterval: 1_000, ...(replay && { eventStore: replay }) },
      () => touch(session),
      (sharing &&
        began !== undefined && {
          addressOf: (request) => sharing.addressOf(key, request, opening),
          sendElsewhere(message) {
            if (session.stream === undefined) return false
            pushAt(sharing, session.stream, key, message)
            return true
          },
        }) ||
        undefined,
    )
    const session: OpenSession = {
      id,
      key,
      opening,
      began,
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
      byKey.delete(key)
      pool.delete(session)
      replay?.close()
      ending.abort()
    }
    // Counted from here on, so that many simultaneous clients do not exceed the limit.
    sessions.set(id, session)
    byKey.set(key, session)
    pool.add(session)
    armSweep()
    return session
  }

  /** Gives the session a server of its own. */
  async function connect(
    session: OpenSession,
    request: Request,
    authInfo: AuthInfo | undefined,
  ): Promise<McpServer | Server> {
    const { id, key, began, closed, transport } = session
    const server = await factory({
      era: 'legacy',
      ...(authInfo !== undefined && { authInfo }),
      requestInfo: request,
      session: {
        id,
        closed,
        levelChanged: async (next) => {
          if (sharing === undefined || began === undefined) return
          await sharing.save(key, { level: next }, began)
          await sharing.post.sendAll({ kind: 'session-level', key, level: next })
        },
      },
    })
    await server.connect(transport)
    return server
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
        if (typeof answer.id === 'string') return receiveAddressed(session, answer, answer.id)
        session.transport.deliver(answer)
        return true
      },
    }
  }

  /** Takes an answer under the id by which it finds the instance that asked, if that is this one. */
  async function receiveAddressed(session: OpenSession, answer: JSONRPCResultResponse, id: string): Promise<boolean> {
    const address = session.began === undefined ? undefined : await sharing?.readAddress(session.key, id)
    if (address === undefined || session.closed.aborted) return false
    if (address.instance !== sharing?.post.id || address.opening !== session.opening) return false
    session.transport.deliver({ ...answer, id: address.request })
    return true
  }

  function foundAs(session: OpenSession, server: McpServer | Server): FoundSession {
    session.found ??= foundSession(session, server)
    return session.found
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
      if (session.isUnsure === true) return undefined
      return foundAs(session, server)
    },
    get size() {
      return sessions.size
    },
    async close() {
      callOffSweep?.()
      callOffSweep = undefined
      stopHearing?.()
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()))
    },
  }
}

/** Closing answers what is open first; a stream that fails meanwhile is of no use to anybody. */
function closeSoon(transport: SessionTransport): void {
  transport.close().catch(() => {})
}

function noRoom(id: string | number | null): Response {
  const message = 'Too many sessions are open. End those that are not needed, or try again later.'
  return refusal(503, message, { id, headers: { 'Retry-After': '30' } })
}

export const isInitialize = (body: unknown) => (body as { method?: unknown } | undefined)?.method === 'initialize'

function forward(parsedBody: unknown, authInfo: AuthInfo | undefined) {
  return { ...(parsedBody !== undefined && { parsedBody }), ...(authInfo !== undefined && { authInfo }) }
}
