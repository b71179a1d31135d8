import { warnOf } from './under-way.ts'

/** Tells listeners what happened. A listener that throws harms nobody: not the one who tells, not the next listener. */
export interface Events<News> {
  tell(news: News): void
  /** Returns how to stop listening. */
  listen(listener: (news: News) => void): () => void
}

/** News for whoever watches: metrics, logs, traces. Nothing in the product depends on a listener being there. */
export function createEvents<News>(): Events<News> {
  const listeners = new Set<(news: News) => void>()
  return {
    tell(news) {
      for (const listener of listeners) {
        try {
          const later = listener(news) as unknown
          // One that is asynchronous may fail later.
          if (later !== undefined) Promise.resolve(later).catch(warnOf)
        } catch (error) {
          warnOf(error)
        }
      }
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
