import type { Lost, StopSignal } from './upstream.ts'

const cancelled: Lost = {
  kind: 'lost',
  reason: 'cancelled',
  sent: false,
  detail: 'the caller cancelled the request',
}

/** Stops waiting when the caller's signal aborts. The work itself goes on, because other callers may wait for it. */
export function unlessCancelled<Reply>(reply: Promise<Reply>, signal: StopSignal): Promise<Reply | Lost> {
  if (signal.aborted) {
    // Nobody here waits for it any more.
    reply.catch(() => {})
    return Promise.resolve(cancelled)
  }
  return new Promise((resolve, reject) => {
    const cancel = () => resolve(cancelled)
    signal.addEventListener('abort', cancel, { once: true })
    reply.then(
      (found) => {
        signal.removeEventListener('abort', cancel)
        resolve(found)
      },
      (error) => reject(error),
    )
  })
}
