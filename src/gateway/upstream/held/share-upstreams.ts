import type { AssentForServers } from '../../../asking/needs.ts'
import type { Post } from '../../../instance/post.ts'
import { clientKey } from '../client-keys.ts'
import type { HeldSessions } from '../options.ts'
import { isStillWanted, notWanted } from '../pending-request.ts'
import type { Lost, UpstreamReply, UpstreamRequest } from '../upstream.ts'
import { createHolders } from './holders.ts'
import { createRemoteCalls } from './remote-calls.ts'
import { serveCalls } from './serve-calls.ts'

/** Lets the instances that share a store use each other's sessions with 2025 upstreams. */
export interface SharedUpstreams extends HeldSessions {
  /** Lets requests of other instances end. */
  close(): Promise<void>
}

type Parts = Pick<AssentForServers, 'store' | 'vault' | 'clock'> & {
  readonly post: Post
  onError(error: unknown): void
}

const mostTries = 3
/** A session that another instance used so lately is not ended when its client leaves this one, in milliseconds. */
const usedMs = 60_000
const mostRemembered = 10_000

export function shareUpstreams({ store, vault, clock, post, onError }: Parts): SharedUpstreams {
  const holders = createHolders({ holdings: store.holdings, vault, clock, post, onError })
  const remote = createRemoteCalls(post, clock)
  const own = new Map<string, (request: UpstreamRequest) => Promise<UpstreamReply>>()
  const used = new Map<string, number>()
  const calls = serveCalls(own, post, clock, ({ upstream, client }) => {
    const key = `${upstream} ${clientKey(client)}`
    used.delete(key)
    if (used.size >= mostRemembered) used.delete(used.keys().next().value as string)
    used.set(key, clock.now().getTime())
  })

  return {
    resume: holders.resume,
    opened: holders.opened,
    outlives: holders.outlives,
    serve: (upstream, here) => void own.set(upstream, here),
    async send(upstream, request, here) {
      if (!holders.areHeld(upstream)) return here(request)
      for (let tries = 0; tries < mostTries; tries++) {
        const holder = await holders.holderOf(upstream, request).catch(() => undefined)
        if (holder === undefined) return unsent
        if (holder === post.id) return here(request)
        const isAtWork = remote.isAtWork(holder)
        const reached = await remote.reach(holder, request.signal)
        if (reached === 'cancelled')
          return { ...unsent, reason: 'cancelled', detail: 'the caller cancelled the request' }
        if (reached === 'silent') return { ...unsent, detail: 'the instance that holds the session does not answer' }
        if (!isAtWork && !(await isStillWanted(request))) return notWanted
        const reply = reached === 'gone' ? undefined : await remote.call(holder, upstream, request)
        if (reply !== undefined) return reply
        holders.forget(upstream, request)
      }
      return unsent
    },
    isUsedElsewhere(upstream, client) {
      const at = used.get(`${upstream} ${clientKey(client)}`)
      return at !== undefined && clock.now().getTime() - at <= usedMs
    },
    async close() {
      await calls.close()
      remote.close()
    },
  }
}

const unsent: Lost = {
  kind: 'lost',
  reason: 'down',
  sent: false,
  detail: 'it cannot be found out which instance holds the session',
}
