import type { Clock } from '../../base/clock.ts'
import type { JsonObject } from '../../base/json.ts'
import { inBackground } from '../../base/under-way.ts'
import type { UpstreamServer } from '../options.ts'
import { clientKey } from '../upstream/client-keys.ts'
import type { DownstreamClient, UpstreamHooks, UpstreamReply } from '../upstream/upstream.ts'

/** Which changes are subscribed to, as `subscriptions/listen` spells it. */
export interface Filter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly resourceSubscriptions?: readonly string[]
}

/** A client that wants to hear of changes at one upstream. */
export interface Subscription {
  readonly server: UpstreamServer
  readonly client: DownstreamClient
  /** Gets the notifications of a 2026 upstream. Those of a 2025 upstream come through `Upstream.listen`. */
  tell(method: string, params: JsonObject): void
}

/** Keeps subscriptions at upstreams open, in whichever way their revision does it, for as long as a client wants them. */
export interface Subscriptions {
  start(subscription: Subscription, filter: Filter): { want(filter: Filter): void; stop(): void }
}

const firstWaitMs = 1_000
const longestWaitMs = 60_000
/** Sooner than a quiet 2025 session is closed. */
const pingEveryMs = 240_000

export function createSubscriptions(
  withAccount: (server: UpstreamServer, client: DownstreamClient) => Promise<DownstreamClient | undefined>,
  clock: Clock,
): Subscriptions {
  /** How many clients want a resource of one 2025 session, which knows each subscription once. */
  const counts = new Map<string, number>()

  async function request(
    { server, client }: Subscription,
    method: string,
    params: JsonObject,
    signal: AbortSignal,
    hooks: UpstreamHooks = {},
  ): Promise<UpstreamReply | undefined> {
    const mine = await withAccount(server, client)
    if (mine === undefined) return undefined
    return server.upstream.request({ ...mine, method, params, signal, hooks })
  }

  async function listen(subscription: Subscription, filter: Filter, signal: AbortSignal): Promise<void> {
    const hooks: UpstreamHooks = { notification: (method, params) => subscription.tell(method, params) }
    const params = { notifications: { ...filter } as JsonObject }
    await request(subscription, 'subscriptions/listen', params, signal, hooks)
  }

  async function stayInSession(subscription: Subscription, filter: Filter, signal: AbortSignal): Promise<void> {
    const { resourceSubscriptions = [] } = filter
    const keyOf = (uri: string) => `${subscription.server.id}\n${clientKey(subscription.client)}\n${uri}`
    for (const uri of resourceSubscriptions) {
      counts.set(keyOf(uri), (counts.get(keyOf(uri)) ?? 0) + 1)
      await request(subscription, 'resources/subscribe', { uri }, signal)
    }
    while (!signal.aborted) {
      await request(subscription, 'ping', {}, signal)
      await pause(clock, pingEveryMs, signal)
    }
    for (const uri of resourceSubscriptions) {
      const left = (counts.get(keyOf(uri)) ?? 1) - 1
      if (left > 0) counts.set(keyOf(uri), left)
      else counts.delete(keyOf(uri))
      if (left === 0) await request(subscription, 'resources/unsubscribe', { uri }, AbortSignal.timeout(firstWaitMs))
    }
  }

  async function keep(subscription: Subscription, filter: Filter, signal: AbortSignal): Promise<void> {
    for (let wait = firstWaitMs; !signal.aborted; wait = Math.min(wait * 2, longestWaitMs)) {
      const mine = await withAccount(subscription.server, subscription.client)
      const era = mine && (await subscription.server.upstream.era(mine, signal))
      if (era?.kind === 'found') {
        if (!era.era.perRequest) return stayInSession(subscription, filter, signal)
        const began = clock.now().getTime()
        await listen(subscription, filter, signal)
        // A stream that was open for a while is opened again soon.
        if (clock.now().getTime() - began > longestWaitMs) wait = firstWaitMs
      }
      await pause(clock, wait, signal)
    }
  }

  return {
    start(subscription, filter) {
      let current = new AbortController()
      inBackground(keep(subscription, filter, current.signal))
      return {
        want(next) {
          current.abort()
          current = new AbortController()
          inBackground(keep(subscription, next, current.signal))
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
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal.addEventListener('abort', done, { once: true })
  })
}
