import type { McpServer } from '@modelcontextprotocol/server'
import type { JsonObject } from '../base/json.ts'

interface Entry {
  readonly mcp: McpServer
  readonly servers: readonly string[]
  /** Undefined: the one client of a process that serves no other. */
  readonly lane: string | undefined
}

/** The 2025 clients that are connected, so that what upstreams say unasked reaches those it is for. */
export interface SessionBook {
  add(entry: Entry, closed: AbortSignal): void
  /** Tells the client on this lane, if this upstream serves it. */
  tell(server: string, lane: string | undefined, method: string, params: JsonObject): void
  /** Tells every client that this upstream serves. */
  tellAll(server: string, method: string): void
}

export function createSessionBook(): SessionBook {
  const entries = new Set<Entry>()
  // A client that is gone, or did not declare it, misses nothing.
  const say = ({ mcp }: Entry, method: string, params: JsonObject) =>
    void mcp.server.notification({ method, params } as never).catch(() => {})

  return {
    add(entry, closed) {
      entries.add(entry)
      closed.addEventListener('abort', () => entries.delete(entry), { once: true })
    },
    tell(server, lane, method, params) {
      for (const entry of entries) {
        if (entry.lane === lane && entry.servers.includes(server)) say(entry, method, params)
      }
    },
    tellAll(server, method) {
      for (const entry of entries) if (entry.servers.includes(server)) say(entry, method, {})
    },
  }
}
