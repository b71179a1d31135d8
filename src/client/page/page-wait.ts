import type { ClientContext } from '../client-context.ts'
import type { VisibleAsk } from '../question/visible-ask.ts'

/** Waiting for a person who has opened a page. */
export interface PageWait {
  /** Resolves when the person reports that they are done, or cancels. */
  readonly reply: Promise<'done' | 'cancel'>
  showProgress(progress: string): void
  close(): void
}

/** Shows the wait for a page in the UI, until it is closed or the signal aborts. */
export function startPageWait(
  { ui }: Pick<ClientContext, 'ui'>,
  { asker, message }: VisibleAsk,
  url: string,
  outerSignal?: AbortSignal,
): PageWait {
  const closed = new AbortController()
  const signal = outerSignal === undefined ? closed.signal : AbortSignal.any([closed.signal, outerSignal])
  const listeners = new Set<(text: string) => void>()
  const onProgress = (listener: (text: string) => void) => void listeners.add(listener)
  const reply = ui
    .waiting({ asker, message, url, signal, onProgress })
    // A reply after the wait has ended does not come from the person. A UI that fails to show the wait does not end it.
    .then((reply) => (signal.aborted ? never() : reply), never)
  return {
    reply,
    showProgress(progress) {
      for (const listener of listeners) listener(progress)
    },
    close: () => closed.abort(),
  }
}

const never = () => new Promise<never>(() => {})
