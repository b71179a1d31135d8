import type { Server } from '@modelcontextprotocol/server'
import type { FoundSession } from '../../mcp/http/sessions.ts'
import type { RpcId } from '../upstream/upstream.ts'

/** A call of a 2025 session that its client may take back. */
export interface Flight {
  cancel(): void
  /** Its session is over. */
  abort(): void
}

/** The calls under way on 2025 sessions, which a server of the SDK knows nothing of. */
export interface Flights {
  has(session: FoundSession, id: RpcId): boolean
  /** Returns how to take it out again. */
  add(session: FoundSession, id: RpcId, flight: Flight): () => void
  cancel(session: FoundSession, id: unknown): void
}

export function trackFlights(): Flights {
  const sessions = new WeakMap<Server, Map<RpcId, Flight>>()

  function flightsOf({ server, closed }: FoundSession): Map<RpcId, Flight> {
    const known = sessions.get(server)
    if (known !== undefined) return known
    const made = new Map<RpcId, Flight>()
    sessions.set(server, made)
    closed.addEventListener('abort', () => {
      for (const flight of [...made.values()]) flight.abort()
    })
    return made
  }

  return {
    has: (session, id) => sessions.get(session.server)?.has(id) === true,
    add(session, id, flight) {
      const flights = flightsOf(session)
      flights.set(id, flight)
      return () => flights.delete(id)
    },
    cancel: (session, id) =>
      sessions
        .get(session.server)
        ?.get(id as RpcId)
        ?.cancel(),
  }
}
