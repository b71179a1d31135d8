import { CallRefused } from './call-refused.ts'
import { unlessAborted } from './unless-aborted.ts'

/** The time that a person may take for one call. The tool's own time does not count. */
export interface HumanTime {
  /** Runs `wait`. Throws when the person has used up their time, or the caller cancels. */
  spend<T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T>
}

/** The longest delay of a timer. */
const maxTimerMs = 2 ** 31 - 1

export function createHumanTime(maxMs: number, callerSignal: AbortSignal): HumanTime {
  let remainingMs = Math.min(maxMs, maxTimerMs)
  return {
    async spend(wait) {
      callerSignal.throwIfAborted()
      const late = new AbortController()
      const expire = () =>
        late.abort(new CallRefused('expired', 'The call timed out: the person did not answer in time.'))
      const timer = setTimeout(expire, remainingMs)
      const since = performance.now()
      const signal = AbortSignal.any([callerSignal, late.signal])
      try {
        return await unlessAborted(signal, wait(signal))
      } finally {
        clearTimeout(timer)
        remainingMs = Math.max(0, remainingMs - (performance.now() - since))
      }
    },
  }
}
