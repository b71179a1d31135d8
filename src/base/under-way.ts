/** Knows what is under way, so that closing can wait for it. */
export function trackWork(): { begin<T>(work: Promise<T>): Promise<T>; allDone(): Promise<unknown> } {
  const underWay = new Set<Promise<unknown>>()
  return {
    begin(work) {
      const done: Promise<unknown> = work.catch(() => {}).finally(() => underWay.delete(done))
      underWay.add(done)
      return work
    },
    allDone: () => Promise.all(underWay),
  }
}
