import type { McpServer } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../base/json.ts'

interface Entry {
  readonly mcp: McpServer
  readonly servers: readonly string[]
  /** Undefined: the one client of a process that serves no other. */
  readonly sessionKey: string | undefined
  /** False: a client of 2026, which hears of changes alone, and of those it asked for (B26-11). */
  readonly getsEverything: boolean
}

/** The clients that stay connected (those of 2025, and whoever is at the other end of a pipe), so that what upstreams say unasked reaches those it is for. */
export interface ClientRegistry {
  add(entry: Entry, closed: AbortSignal): void
  /** Tells the client on this lane, if this upstream serves it. */
  tell(server: string, sessionKey: string | undefined, method: string, params: JsonObject): void
}

export function createClientRegistry(): ClientRegistry {
  const entries = new Set<Entry>()
  // A client that is gone, or did not declare it, misses nothing.
  const say = ({ mcp }: Entry, method: string, params: JsonObject) =>
    void mcp.server.notification({ method, params } as never).catch(() => {})

  return {
    add(entry, closed) {
      entries.add(entry)
      closed.addEventListener('abort', () => entries.delete(entry), { once: true })
    },
    tell(server, sessionKey, method, params) {
      for (const entry of entries) {
        if (entry.sessionKey !== sessionKey || !entry.servers.includes(server)) continue
        if (entry.getsEverything || isChange(method)) say(entry, method, params)
      }
    },
  }
}

function isChange(method: string): boolean {
  return method.endsWith('/list_changed') || method === 'notifications/resources/updated'
}
