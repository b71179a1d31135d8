import { type Instance, isAlive } from './instance.ts'

/** Who shares the store, as operators see it. */
export interface ShownInstances {
  readonly running: readonly Instance[]
  /** What is wrong with their clocks, in words. Empty: nothing was found. */
  readonly problems: readonly string[]
}

/** The instances that run, and whose clocks are further apart than `skewMs`. */
export function showInstances(all: readonly Instance[], now: Date, skewMs: number): ShownInstances {
  const running = all.filter((instance) => isAlive(instance, now))
  const ordered = [...running].sort((one, other) => one.aheadMs - other.aheadMs)
  const [slowest, fastest] = [ordered[0], ordered.at(-1)]
  if (slowest === undefined || fastest === undefined || fastest.aheadMs - slowest.aheadMs <= skewMs) {
    return { running, problems: [] }
  }
  const seconds = Math.round((fastest.aheadMs - slowest.aheadMs) / 1_000)
  const problem = `The clocks of the instances ${shortId(slowest)} and ${shortId(fastest)} are ${seconds} s apart. Set the one that is wrong, and keep both right with NTP.`
  return { running, problems: [problem] }
}

/** The id of an instance for people: it is random, and its beginning tells them apart. */
export function shortId({ id }: Pick<Instance, 'id'>): string {
  return id.slice(0, 8)
}
