import type { Clock } from '../../base/clock.ts'
import type { JsonObject } from '../../base/json.ts'
import type { UpstreamServer } from '../options.ts'
import { clientKey } from '../upstream/client-keys.ts'
import type { DownstreamClient, UpstreamReply } from '../upstream/upstream.ts'

/** What somebody wants to hear of, as `subscriptions/listen` says it. */
export interface Filter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly resourceSubscriptions?: readonly string[]
}

/** Somebody who wants to hear of an upstream's changes. */
export interface Subscription {
  readonly server: UpstreamServer
  readonly client: DownstreamClient
  /** Comes from a 2026 upstream; what a 2025 upstream says comes as its news. */
  tell(method: string, params: JsonObject): void
}

/** Keeps upstreams telling of their changes, whichever way they do it, for as long as somebody wants to hear. */
export interface Subscriptions {
  /** Wants this from now on; nothing, when it ends. */
  start(watch: Subscription, wants: Filter): { want(wants: Filter): void; stop(): void }
}

const firstWaitMs = 1_000
const longestWaitMs = 60_000
/** Sooner than a quiet 2025 session is closed. */
const aliveMs = 240_000

export function createSubscriptions(
  visitorOf: (server: UpstreamServer, client: DownstreamClient) => Promise<DownstreamClient | undefined>,
  clock: Clock,
): Subscriptions {
  /** Who wants which resource of a 2025 session, which knows a subscription once. */
  const subscribed = new Map<string, number>()

  async function request(
    { server, client }: Subscription,
    method: string,
    params: JsonObject,
    more: object,
    signal: AbortSignal,
  ) {
    const mine = await visitorOf(server, client)
    if (mine === undefined) return undefined
    return server.upstream.request({ ...mine, method, params, signal, ...more })
  }

  async function listen(watch: Subscription, wants: Filter, signal: AbortSignal): Promise<UpstreamReply | undefined> {
    const hooks = { news: (method: string, params: JsonObject) => watch.tell(method, params) }
    return request(watch, 'subscriptions/listen', { notifications: { ...wants } as JsonObject }, { hooks }, signal)
  }

  async function stayInSession(watch: Subscription, { resourceSubscriptions = [] }: Filter, signal: AbortSignal) {
    const keyOf = (uri: string) => `${watch.server.id}\n${clientKey(watch.client)}\n${uri}`
    for (const uri of resourceSubscriptions) {
      subscribed.set(keyOf(uri), (subscribed.get(keyOf(uri)) ?? 0) + 1)
      await request(watch, 'resources/subscribe', { uri }, {}, signal)
    }
    while (!signal.aborted) {
      await request(watch, 'ping', {}, {}, signal)
      await pause(clock, aliveMs, signal)
    }
    for (const uri of resourceSubscriptions) {
      const left = (subscribed.get(keyOf(uri)) ?? 1) - 1
      if (left > 0) subscribed.set(keyOf(uri), left)
      else subscribed.delete(keyOf(uri))
      if (left === 0) await request(watch, 'resources/unsubscribe', { uri }, {}, AbortSignal.timeout(firstWaitMs))
    }
  }

  async function keepWatching(watch: Subscription, wants: Filter, signal: AbortSignal): Promise<void> {
    for (let wait = firstWaitMs; !signal.aborted; wait = Math.min(wait * 2, longestWaitMs)) {
      const mine = await visitorOf(watch.server, watch.client)
      const era = mine && (await watch.server.upstream.era(mine, signal))
      if (era?.kind === 'found') {
        if (!era.era.perRequest) return stayInSession(watch, wants, signal)
        const began = clock.now().getTime()
        await listen(watch, wants, signal)
        // One that held for a while is taken up again soon.
        if (clock.now().getTime() - began > longestWaitMs) wait = firstWaitMs
      }
      await pause(clock, wait, signal)
    }
  }

  return {
    start(watch, wants) {
      let current = new AbortController()
      void keepWatching(watch, wants, current.signal)
      return {
        want(next) {
          current.abort()
          current = new AbortController()
          void keepWatching(watch, next, current.signal)
        },
        stop: () => current.abort(),
      }
    },
  }
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      callOff()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const callOff = clock.after(ms, done)
    signal.addEventListener('abort', done, { once: true })
  })
}
