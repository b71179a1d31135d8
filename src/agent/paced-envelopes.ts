import { defaultHubLimits, type HubLimits } from '../hub/options.ts'
import { createRate, type Rate } from '../hub/routing/rate.ts'

/** What we said and the hub has not taken yet. Written in its order, and no faster than the hub takes it. */
export interface PacedEnvelopes {
  /** Keeps an envelope until it is `taken`, and writes it as soon as it may be. */
  put(id: string, text: string): void
  /** Writes something that is not kept, as it stands when it may be written. Put again before that, it is written once. */
  putOnce(name: string, text: () => string): void
  /** The hub took it, or refused it for good. */
  taken(id: string): void
  /** Writes this one again, if it was not taken meanwhile. */
  again(id: string): void
  /** Writes all of them again that were not taken: the hub is back, or did not say which one it did not take. */
  allAgain(): void
  /** Keeps to these limits of the hub from now on. */
  keepTo(limits: Partial<HubLimits>): void
  /** Resolves when nothing waits to be written. */
  drained(): Promise<void>
}

/** Where texts are written to. */
export interface Outlet {
  isOpen(): boolean
  write(text: string): void
}

/** Less than the hub allows, because what is sent evenly may arrive all at once. */
const share = 0.8
const waitMs = 20

export function paceEnvelopes(outlet: Outlet): PacedEnvelopes {
  const kept = new Map<string, string>()
  const once = new Map<string, () => string>()
  const queue = new Set<string>()
  const draining = new Set<() => void>()
  let known = ''
  let rate = rateOf({})
  let waiting: NodeJS.Timeout | undefined

  function flush(): void {
    waiting = undefined
    for (const id of queue) {
      // Written when there is a connection again.
      if (!outlet.isOpen()) return
      const text = kept.get(id) ?? once.get(id)?.()
      if (text !== undefined) {
        if (rate.take(performance.now()) !== 'ok') {
          waiting = setTimeout(flush, waitMs).unref()
          return
        }
        outlet.write(text)
      }
      queue.delete(id)
      once.delete(id)
    }
    for (const resolve of draining) resolve()
    draining.clear()
  }

  function enqueue(ids: Iterable<string>): void {
    for (const id of ids) queue.add(id)
    if (waiting === undefined) flush()
  }

  return {
    put(id, text) {
      kept.set(id, text)
      enqueue([id])
    },
    putOnce(name, text) {
      once.set(name, text)
      enqueue([name])
    },
    taken: (id) => void kept.delete(id),
    again(id) {
      if (kept.has(id)) enqueue([id])
    },
    allAgain() {
      // In the order in which they were said, also those that were not written yet.
      queue.clear()
      enqueue([...kept.keys(), ...once.keys()])
    },
    keepTo(limits) {
      // The hub counts on, however often we join: so do we, unless the limits are others.
      const named = JSON.stringify(limits)
      if (named !== known) rate = rateOf(limits)
      known = named
    },
    drained: () =>
      new Promise((resolve) => {
        if (queue.size === 0) resolve()
        else draining.add(resolve)
      }),
  }
}

function rateOf(limits: Partial<HubLimits>): Rate {
  const { envelopesPerSecond, burst } = { ...defaultHubLimits, ...limits }
  return createRate(envelopesPerSecond * share, Math.max(1, Math.floor(burst * share)))
}
