import type { Server } from '@modelcontextprotocol/server'
import { CompactMap } from '../../../base/compact-map.ts'
import type { FoundSession } from '../../../mcp/http/session/sessions.ts'
import type { RpcId } from '../../upstream/upstream.ts'
import type { CapturedCall } from './captured-call.ts'

/** A call of a 2025 session from the moment it came, so that its client may take it back at any time. */
export class ClientCall {
  /** Its client wants no answer any more. */
  isCancelled = false
  /** From when it is sent. */
  live: CapturedCall | undefined

  cancel(): void {
    this.isCancelled = true
    this.live?.abort()
  }
}

/** The calls under way on 2025 sessions, which a server of the SDK knows nothing of. */
export interface CallsInFlight {
  has(session: FoundSession, id: RpcId): boolean
  add(session: FoundSession, id: RpcId): ClientCall
  remove(session: FoundSession, id: RpcId): void
  cancel(session: FoundSession, id: unknown): void
}

export function trackCallsInFlight(): CallsInFlight {
  const sessions = new WeakMap<Server, CompactMap<RpcId, ClientCall>>()

  function ticketsOf({ server, closed }: FoundSession): CompactMap<RpcId, ClientCall> {
    const known = sessions.get(server)
    if (known !== undefined) return known
    const made = new CompactMap<RpcId, ClientCall>()
    sessions.set(server, made)
    // Its session is over: whoever is left with the call says so.
    closed.addEventListener('abort', () => {
      for (const { live } of made.values()) live?.abort()
    })
    return made
  }

  return {
    has: (session, id) => sessions.get(session.server)?.has(id) === true,
    add(session, id) {
      const clientCall = new ClientCall()
      ticketsOf(session).set(id, clientCall)
      return clientCall
    },
    remove: (session, id) => void sessions.get(session.server)?.delete(id),
    cancel: (session, id) =>
      sessions
        .get(session.server)
        ?.get(id as RpcId)
        ?.cancel(),
  }
}
