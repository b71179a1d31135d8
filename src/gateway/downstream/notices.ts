import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Json } from '../../base/json.ts'
import { inBackground } from '../../base/under-way.ts'
import type { Post } from '../../instance/post.ts'
import type { UpstreamNotification } from '../upstream/upstream.ts'

/** What changed at an upstream. Without a requester it changed for everybody. */
export type UpstreamChange = Pick<UpstreamNotification, 'upstream' | 'method' | 'params'> &
  Partial<Pick<UpstreamNotification, 'requester' | 'sessionKey'>>

/** Tells the instances that share a store what changed at upstreams. */
export interface Notices {
  /**
   * Resolves when all others have heard it, or did not say so in time. A client that is told then finds no instance that
   * still goes by the list before. `isTold`: the client is told by this instance.
   */
  share(change: UpstreamChange, isTold: boolean): Promise<void>
  close(): void
}

/** How long others are waited for, in milliseconds. */
const patienceMs = 2_000

export function createNotices(
  post: Post,
  clock: Clock,
  hear: (change: UpstreamChange, isTold: boolean) => void,
): Notices {
  const waiting = new Map<string, (from: string) => void>()
  const stops = [
    post.on('notice', ({ ref, change, isTold }, from) => {
      hear(change as unknown as UpstreamChange, isTold === true)
      inBackground(post.reply(from, { kind: 'noticed', ref: String(ref) }).catch(() => {}))
    }),
    post.on('noticed', ({ ref }, from) => waiting.get(String(ref))?.(from)),
  ]
  return {
    async share(change, isTold) {
      if (!post.hasOthers()) return
      const ref = randomUUID()
      const early = new Set<string>()
      let missing: Set<string> | undefined
      await new Promise<void>((resolve) => {
        const end = () => {
          waiting.delete(ref)
          callOff()
          resolve()
        }
        const callOff = clock.after(patienceMs, end)
        waiting.set(ref, (from) => {
          early.add(from)
          if (missing?.delete(from) && missing.size === 0) end()
        })
        post.sendAll({ kind: 'notice', ref, change: change as unknown as Json, isTold }).then((told) => {
          missing = new Set(told.filter((one) => !early.has(one)))
          if (missing.size === 0) end()
        }, end)
      })
    },
    close() {
      for (const stop of stops) stop()
    },
  }
}
