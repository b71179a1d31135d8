import { CompactMap } from '../../../base/compact-map.ts'
import type { KnownClient } from '../../../mcp/caller.ts'
import type { FastSession } from '../../../mcp/fast-path.ts'
import type { RpcId } from '../../upstream/upstream.ts'
import type { CapturedCall } from './captured-call.ts'

/** A call of a client that stays connected, from its arrival on, so that the client can cancel it at any time. */
export class ClientCall {
  isCancelled = false
  /** Set when the call is sent. */
  captured: CapturedCall | undefined

  cancel(): void {
    this.isCancelled = true
    this.captured?.abort()
  }
}

/** The calls that the fast path has in flight, by session and request id. The SDK servers know nothing of them. */
export interface CallsInFlight {
  has(session: FastSession, id: RpcId): boolean
  add(session: FastSession, id: RpcId): ClientCall
  remove(session: FastSession, id: RpcId): void
  cancel(session: FastSession, id: unknown): void
}

export function trackCallsInFlight(): CallsInFlight {
  const sessions = new WeakMap<KnownClient, CompactMap<RpcId, ClientCall>>()

  function callsOf({ server, closed }: FastSession): CompactMap<RpcId, ClientCall> {
    const known = sessions.get(server)
    if (known !== undefined) return known
    const calls = new CompactMap<RpcId, ClientCall>()
    sessions.set(server, calls)
    closed.addEventListener('abort', () => {
      for (const { captured } of calls.values()) captured?.abort()
    })
    return calls
  }

  return {
    has: (session, id) => sessions.get(session.server)?.has(id) === true,
    add(session, id) {
      const call = new ClientCall()
      callsOf(session).set(id, call)
      return call
    },
    remove: (session, id) => void sessions.get(session.server)?.delete(id),
    cancel: (session, id) =>
      sessions
        .get(session.server)
        ?.get(id as RpcId)
        ?.cancel(),
  }
}
