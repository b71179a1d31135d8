import type { Conversation } from '../conversation.ts'
import type { ReadAsk } from '../question/read-ask.ts'

/** A page that the person has opened. */
export interface WatchedPage {
  /** Resolves when they say that they are done, or want out. */
  readonly said: Promise<'done' | 'cancel'>
  tell(progress: string): void
  close(): void
}

/** Shows that a page is waited for, until it is closed or the signal aborts. */
export function watchPage(
  { ui }: Pick<Conversation, 'ui'>,
  { asker, message }: ReadAsk,
  url: string,
  gone?: AbortSignal,
): WatchedPage {
  const over = new AbortController()
  const signal = gone === undefined ? over.signal : AbortSignal.any([over.signal, gone])
  const listeners = new Set<(text: string) => void>()
  const onProgress = (listener: (text: string) => void) => void listeners.add(listener)
  const said = ui
    .waiting({ asker, message, url, signal, onProgress })
    // What a screen says once the wait is over is nobody's word; and a wait that cannot be shown is a wait all the same.
    .then((word) => (signal.aborted ? never() : word), never)
  return {
    said,
    tell(progress) {
      for (const listener of listeners) listener(progress)
    },
    close: () => over.abort(),
  }
}

const never = () => new Promise<never>(() => {})
