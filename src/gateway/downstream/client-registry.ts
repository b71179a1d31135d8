import type { JsonObject } from '../../base/json.ts'

interface Entry {
  /** Notifies the client. */
  notify(method: string, params: JsonObject): void
  readonly servers: readonly string[]
  /** Undefined for the client of a pipe. */
  readonly sessionKey: string | undefined
  /** False for a 2026 client, which only gets the changes that it subscribed to (B26-11). */
  readonly getsEverything: boolean
}

/** The clients that stay connected (2025 sessions and pipes), to pass notifications of upstreams on to them. */
export interface ClientRegistry {
  add(entry: Entry, closed: AbortSignal): void
  /** Notifies the client with this session key, if this upstream is in its scope. */
  tell(server: string, sessionKey: string | undefined, method: string, params: JsonObject): void
  /** Whether this instance knows the client with this session key, and this upstream is in its scope. */
  knows(server: string, sessionKey: string | undefined): boolean
  /** Notifies every client with this upstream in its scope that a list has changed. */
  tellChanged(server: string, method: string): void
}

export function createClientRegistry(): ClientRegistry {
  const entries = new Set<Entry>()
  return {
    add(entry, closed) {
      entries.add(entry)
      closed.addEventListener('abort', () => entries.delete(entry), { once: true })
    },
    knows: (server, sessionKey) =>
      [...entries].some((entry) => entry.sessionKey === sessionKey && entry.servers.includes(server)),
    tellChanged(server, method) {
      for (const entry of entries) if (entry.servers.includes(server)) entry.notify(method, {})
    },
    tell(server, sessionKey, method, params) {
      for (const entry of entries) {
        if (entry.sessionKey !== sessionKey || !entry.servers.includes(server)) continue
        if (entry.getsEverything || isChange(method)) entry.notify(method, params)
      }
    },
  }
}

function isChange(method: string): boolean {
  return method.endsWith('/list_changed') || method === 'notifications/resources/updated'
}
