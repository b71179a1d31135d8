/** Lets work go on that nobody waits for. If it fails, that is a bug: it is told as a warning, and must not end the process. */
export function inBackground(work: Promise<unknown>): void {
  work.catch(warnOf)
}

/** Tells the process of an error that nobody else can be told of. */
export function warnOf(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error), 'AssentListenerWarning')
}

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
