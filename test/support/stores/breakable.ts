import type { Store } from '../../../src/index.ts'
import { openMemoryStore } from '../../../src/stores/memory/open.ts'

const parts = ['elicitations', 'audit', 'steps', 'browsers', 'connections', 'grants', 'usage', 'hub'] as const

/** A part of a store that can be broken. */
export type BreakablePart = (typeof parts)[number]

/** A store in memory, of which nothing answers but with an error while it is down. `only`: the parts that go down with it. */
export function breakable(only: readonly BreakablePart[] = parts): {
  readonly store: Store
  readonly fault: { isDown: boolean }
} {
  const fault = { isDown: false }
  const broken = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const found = Reflect.get(target, name) as unknown
        if (typeof found !== 'function') return found
        return (...args: unknown[]) => {
          if (!fault.isDown) return found.apply(target, args)
          const error = new Error('The store cannot be reached.')
          // What stores do without waiting has no promise to reject.
          if (String(name).endsWith('AtOnce')) throw error
          return Promise.reject(error)
        }
      },
    })
  const whole = openMemoryStore()
  const breaking = Object.fromEntries(only.map((name) => [name, broken(whole[name])]))
  return { store: { ...whole, ...breaking } as Store, fault }
}
