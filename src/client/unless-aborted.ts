/** Settles as the work does, or rejects as soon as the signal aborts, even if the work ignores the signal. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    const settle =
      <V>(end: (value: V) => void) =>
      (value: V) => {
        signal.removeEventListener('abort', abort)
        end(value)
      }
    work.then(settle(resolve), settle(reject))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
