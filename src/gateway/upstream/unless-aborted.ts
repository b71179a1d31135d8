import type { Lost, StopSignal } from './upstream.ts'

const left: Lost = { kind: 'lost', reason: 'cancelled', sent: false, detail: 'the caller wants no answer any more' }

/** Waits no longer than the caller does; the work goes on for whoever else waits. */
export function unlessAborted<Reply>(reply: Promise<Reply>, signal: StopSignal): Promise<Reply | Lost> {
  if (signal.aborted) return Promise.resolve(left)
  return new Promise((resolve, reject) => {
    const leave = () => resolve(left)
    signal.addEventListener('abort', leave, { once: true })
    reply.then(
      (found) => {
        signal.removeEventListener('abort', leave)
        resolve(found)
      },
      (error) => reject(error),
    )
  })
}
