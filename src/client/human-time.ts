import { CallRefused } from './refused.ts'
import { unlessAborted } from './unless-aborted.ts'

/** The time that a person may take over one call. The tool's own time is not part of it. */
export interface HumanTime {
  /** Runs what waits for the person; throws when they took too long in all, or the caller is gone. */
  spend<T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T>
}

/** Timers know no longer time than this. */
const longest = 2 ** 31 - 1

export function createHumanTime(mostMs: number, gone: AbortSignal): HumanTime {
  let leftMs = Math.min(mostMs, longest)
  return {
    async spend(wait) {
      gone.throwIfAborted()
      const late = new AbortController()
      const expire = () => late.abort(new CallRefused('expired', 'This timed out: the person did not finish in time.'))
      const timer = setTimeout(expire, leftMs)
      const since = performance.now()
      const signal = AbortSignal.any([gone, late.signal])
      try {
        return await unlessAborted(signal, wait(signal))
      } finally {
        clearTimeout(timer)
        leftMs = Math.max(0, leftMs - (performance.now() - since))
      }
    },
  }
}
