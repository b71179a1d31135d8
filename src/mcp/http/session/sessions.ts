import { randomUUID } from 'node:crypto'
import type { AuthInfo, JSONRPCMessage, JSONRPCResultResponse } from '@modelcontextprotocol/server'
import type { Clock } from '../../../base/clock.ts'
import type { JsonObject } from '../../../base/json.ts'
import { inBackground } from '../../../base/under-way.ts'
import { leaseOf, ownerOf } from '../incoming.ts'
import type { SharedLimits } from '../limits.ts'
import { idOf, noRoomForSession, refusal, sessionNotFound, withEnd } from '../replies.ts'
import { rebuild } from './rebuild.ts'
import { hearOthers, pushAt } from './relay.ts'
import { keepForReplay } from './replay.ts'
import type { FoundSession, ServedSession, ServerFactory, Sessions } from './served-session.ts'
import { type Session, SessionTransport } from './session.ts'
import type { PooledSession } from './session-pool.ts'
import { type FirstRequest, restServers, SessionServer } from './session-server.ts'
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
  readonly server: SessionServer
  /** Set when the session was initialized. */
  isReady: boolean
  /** Made when it is found for the first time. */
  found?: FoundSession
  /** Counts what keeps it from being idle besides unanswered requests: open streams, requests being read. */
  holds: number
  usedAt: number
}

/** What a session is made from. Without `began` other instances cannot serve it. */
type NewSession = Omit<SessionClaims, 'began'> & Pick<OpenSession, 'id' | 'began'>

export interface SessionOptions {
  /** How long a session may be idle before it is closed. */
  readonly idleMs: number
  readonly clock: Clock
  /** Lets other instances serve these sessions, and this one those of others. */
  readonly sharing?: SessionSharing | undefined
  /**
   * How long the server of a session that other instances could serve may have nothing to do before it is let go. The
   * factory is called again for the same session when a server is needed. Left out: each server stays.
   */
  readonly restMs?: number | undefined
  /** Called with a message of the client that reached another instance. */
  relayed?(session: FoundSession, message: JSONRPCMessage): void
}

export function keepSessions(
  factory: ServerFactory,
  { limits, sessions: pool, replays }: Pick<SharedLimits, 'limits' | 'sessions' | 'replays'>,
  { idleMs, clock, sharing, restMs, relayed }: SessionOptions,
): Sessions {
  // Ordered by last use, the longest unused first.
  const sessions = new Map<string, OpenSession>()
  const byKey = new Map<string, OpenSession>()
  const rebuilding = new Map<string, Promise<OpenSession | 'no-room' | undefined>>()
  const rests = restMs === undefined ? undefined : restServers(restMs, clock)
  let callOffSweep: (() => void) | undefined
  const stopHearing =
    sharing &&
    hearOthers(sharing, {
      message(key, message, opening) {
        const session = byKey.get(key)
        if (session?.isReady !== true) return
        if ('method' in message) {
          relayed?.(foundAs(session), message)
          session.server.with(() => session.transport.deliver(message))
        } else if (opening === session.opening) {
          relayed?.(foundAs(session), message)
          session.transport.deliver(message)
        }
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
    if (session === 'no-room') return noRoomForSession(idOf(body))
    if (session === 'ended') return new Response(null, { status: 200 })
    if (session === undefined || session.owner !== ownerOf(authInfo)) return sessionNotFound(body)

    const release = hold(session)
    try {
      if (session.isUnsure === true && !(await makeSure(session, sharing))) return sessionNotFound(body)
      const routed = await shareMessage(session, sharing, request, body)
      if (routed instanceof Response) return routed
      const handle = () => session.transport.handleRequest(request, forward(routed.body, authInfo))
      const response = request.method === 'POST' ? await session.server.use(handle) : await handle()
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
    if (!pool.makeRoom(owner)) return noRoomForSession(idOf(body))
    const claims = { owner, initialize: (body as { params?: JsonObject }).params ?? {}, began: clock.now().getTime() }
    const shared = await sharing?.seal(claims)
    const made = { id: shared ?? randomUUID(), ...claims, began: shared === undefined ? undefined : claims.began }
    const session = add(made)
    const { transport } = session
    const release = hold(session)
    let response: Response | undefined
    try {
      await session.server.begin(first(request, authInfo))
      session.isReady = true
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
    claims: SessionClaims,
    request: Request,
    authInfo: AuthInfo | undefined,
  ): Promise<OpenSession | 'no-room' | undefined> {
    if (!pool.makeRoom(claims.owner)) return 'no-room'
    const session = add({ id, ...claims })
    const release = hold(session)
    let isUsable = false
    try {
      // Looked up after it was added: whoever revokes it from now on finds it here.
      const kept = await sharing.kept(session.key)
      if (kept?.isRevoked === true) return undefined
      session.stream = kept?.stream === sharing.post.id ? undefined : kept?.stream
      await session.server.begin(first(request, authInfo))
      if (kept?.level !== undefined) sharing.levelSet(id, kept.level)
      await rebuild(session.transport, { url: request.url, id }, claims.initialize, authInfo)
      isUsable = !session.closed.aborted
      session.isReady = isUsable
      return isUsable ? session : undefined
    } finally {
      if (!isUsable) await session.transport.close()
      release()
    }
  }

  function add({ id, owner, initialize, began }: NewSession): OpenSession {
    const key = sessionKeyOf(id)
    const replay = limits.replay > 0 ? keepForReplay(limits.replay, (bytes) => replays.lease(owner, bytes)) : undefined
    const ending = new AbortController()
    const transport: SessionTransport = new SessionTransport(
      // A client that lost its stream reconnects after a second.
      { sessionIdGenerator: () => id, retryInterval: 1_000, ...(replay && { eventStore: replay }) },
      () => touch(session),
      (sharing &&
        began !== undefined && {
          addressOf: (request) => sharing.addressOf(key, request, transport.opening),
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
      get opening() {
        return transport.opening
      },
      began,
      closed: ending.signal,
      transport,
      server: new SessionServer({
        transport,
        clock,
        make: (first) => factory({ era: 'legacy', ...first, session: served }),
        ...(rests && { made: rests.add }),
        ...(began !== undefined && { initialize }),
      }),
      isReady: false,
      owner,
      holds: 0,
      usedAt: clock.now().getTime(),
      isIdle: () => session.holds === 0 && transport.isQuiet,
      close: () => closeSoon(transport),
    }
    const served = servedSession(session)
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

  /** What the factory is told of a session, the same each time. */
  function servedSession({ id, key, began, closed, server }: OpenSession): ServedSession {
    return {
      id,
      closed,
      async levelChanged(next) {
        if (sharing === undefined || began === undefined) return
        await sharing.save(key, { level: next }, began)
        await sharing.post.sendAll({ kind: 'session-level', key, level: next })
      },
      // Fails for a client that disconnected, which needs no notification.
      notify: (method, params) =>
        server.with((sdk) => void sdk.notification({ method, params } as never).catch(() => {})),
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

  function foundSession(session: OpenSession): FoundSession {
    return {
      id: session.id,
      closed: session.closed,
      server: session.server,
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

  function foundAs(session: OpenSession): FoundSession {
    session.found ??= foundSession(session)
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
      if (session?.isReady !== true || session.isUnsure === true || session.owner !== ownerOf(authInfo))
        return undefined
      return foundAs(session)
    },
    get size() {
      return sessions.size
    },
    async close() {
      callOffSweep?.()
      callOffSweep = undefined
      rests?.close()
      stopHearing?.()
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()))
    },
  }
}

/** Closing answers what is open first; a stream that fails meanwhile is of no use to anybody. */
function closeSoon(transport: SessionTransport): void {
  transport.close().catch(() => {})
}

export const isInitialize = (body: unknown) => (body as { method?: unknown } | undefined)?.method === 'initialize'

/** What the first server of a session is made for. */
function first(requestInfo: Request, authInfo: AuthInfo | undefined): FirstRequest {
  return { requestInfo, ...(authInfo !== undefined && { authInfo }) }
}

function forward(parsedBody: unknown, authInfo: AuthInfo | undefined) {
  return { ...(parsedBody !== undefined && { parsedBody }), ...(authInfo !== undefined && { authInfo }) }
}
