/** What the work gives, or the reason of the signal as soon as it aborts, whether or not the work heeds it. */
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
