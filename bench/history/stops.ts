/** What some work took. */
export interface Watched {
  /** The longest time for which nothing else could run meanwhile, in ms. */
  readonly stop: number
  readonly ms: number
  /** CPU time, in ms. */
  readonly cpu: number
}

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/**
 * The longest time for which nothing else could run while this ran. It is measured as CPU time of the process, because on
 * a busy machine other processes take their turns in between.
 */
export async function watched(work: () => Promise<unknown>): Promise<Watched> {
  const [from, cpuFrom] = [performance.now(), cpuMs()]
  let stop = 0
  let last = cpuFrom
  const look = () => {
    const now = cpuMs()
    stop = Math.max(stop, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  await work()
  look()
  clearInterval(timer)
  return { stop, ms: performance.now() - from, cpu: last - cpuFrom }
}
