import type { Clock } from '../../base/clock.ts'
import type { Events } from '../../base/events.ts'
import { inBackground } from '../../base/under-way.ts'
import type { GatewayNews } from '../../call/news.ts'
import { type Requester, requesterKey } from '../../participant/requester.ts'
import type { UpstreamServer } from '../options.ts'
import type { DownstreamClient, UpstreamNotification } from '../upstream/upstream.ts'
import type { Catalog } from './catalog.ts'

/** Knows who got a joined list without which server, and tells them when that server comes up. */
export interface MissingServers {
  /** This client got a list without this server, after it was waited for so long. */
  leftOut(server: UpstreamServer, client: DownstreamClient, waitedMs: number): void
  close(): void
}

export interface MissingOptions {
  readonly clock: Clock
  readonly news?: Events<GatewayNews> | undefined
  readonly catalog: Catalog
  /** Passes a change on to one client, as if the upstream had sent it. */
  tell(change: UpstreamNotification): void
}

interface Missing {
  readonly clients: Map<string, { readonly requester: Requester; readonly sessionKey?: string }>
  readonly stopping: AbortController
}

const firstWaitMs = 1_000
const longestWaitMs = 60_000
/** Clients may come and go while a server is down. */
const mostClients = 1_000

export function createMissingServers({ clock, news, catalog, tell }: MissingOptions): MissingServers {
  const missing = new Map<string, Missing>()

  /** Reaches for the server until it is there. A program that has failed is started again by this, at most once a minute. */
  async function watch(server: UpstreamServer, client: DownstreamClient, one: Missing): Promise<void> {
    const { id } = server
    const { signal } = one.stopping
    for (let wait = firstWaitMs; !signal.aborted; wait = Math.min(wait * 2, longestWaitMs)) {
      // By its list and not by its handshake: the client's own process may still be starting.
      const reply = await catalog.list(server, 'tools', client, signal)
      if (signal.aborted) return
      if (reply.kind !== 'lost') break
      await new Promise<void>((resolve) => {
        const done = () => {
          callOff()
          signal.removeEventListener('abort', done)
          resolve()
        }
        const callOff = clock.after(wait, done)
        signal.addEventListener('abort', done, { once: true })
      })
    }
    if (signal.aborted) return
    missing.delete(id)
    news?.tell({ kind: 'server-found', server: id })
    for (const { requester, sessionKey } of one.clients.values()) {
      for (const list of ['tools', 'prompts', 'resources']) {
        const method = `notifications/${list}/list_changed`
        tell({ upstream: id, requester, ...(sessionKey !== undefined && { sessionKey }), method, params: {} })
      }
    }
  }

  return {
    leftOut(server, client, waitedMs) {
      const { requester, sessionKey } = client
      const known = missing.get(server.id)
      const one = known ?? { clients: new Map(), stopping: new AbortController() }
      if (one.clients.size < mostClients) {
        const key = `${requesterKey(requester)}\n${sessionKey ?? ''}`
        one.clients.set(key, { requester, ...(sessionKey !== undefined && { sessionKey }) })
      }
      if (known !== undefined) return
      missing.set(server.id, one)
      const { kind, reason } = server.upstream.state()
      news?.tell({
        kind: 'server-missing',
        server: server.id,
        waitedMs,
        isStarting: kind !== 'down',
        ...(reason !== undefined && { reason }),
      })
      inBackground(watch(server, client, one))
    },
    close() {
      for (const { stopping } of missing.values()) stopping.abort()
      missing.clear()
    },
  }
}
