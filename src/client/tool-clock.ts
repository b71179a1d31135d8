import { CallRefused } from './refused.ts'

/** Measures a tool's time, and stands still while a person is asked. */
export interface ToolClock {
  /** Aborts when the tool has used up its time, or the caller is gone. */
  readonly signal: AbortSignal
  stop(): void
}

/** All clocks of one client: a server that asks does not say for which of its calls. */
export interface ToolClocks {
  start(timeoutMs: number, gone: AbortSignal): ToolClock
  /** Stops all of them for as long as the person takes. */
  whileAsking<T>(ask: () => Promise<T>): Promise<T>
  /** Aborts when every call that is under way now is over, and whatever they asked with them. Never, if there is none. */
  overWithAll(): AbortSignal
  /** The person wants out: ends the call under way. Of several nobody can tell which one it was, and all go on. */
  leave(): void
}

interface Running {
  leftMs: number
  since: number
  timer: NodeJS.Timeout | undefined
  readonly expire: () => void
  readonly leave: () => void
  readonly ends: (() => void)[]
}

export function createToolClocks(): ToolClocks {
  const running = new Set<Running>()
  let asking = 0

  function go(clock: Running): void {
    clock.since = performance.now()
    clock.timer = setTimeout(clock.expire, clock.leftMs)
  }

  function halt(clock: Running): void {
    if (clock.timer === undefined) return
    clearTimeout(clock.timer)
    clock.timer = undefined
    clock.leftMs -= performance.now() - clock.since
  }

  return {
    start(timeoutMs, gone) {
      const over = new AbortController()
      const expire = () => over.abort(new ToolTimedOut(timeoutMs))
      const leave = () => over.abort(new CallRefused('cancelled', 'The person did not go on.'))
      const clock: Running = { leftMs: timeoutMs, since: 0, timer: undefined, expire, leave, ends: [] }
      running.add(clock)
      if (asking === 0) go(clock)
      return {
        signal: AbortSignal.any([over.signal, gone]),
        stop() {
          halt(clock)
          running.delete(clock)
          for (const end of clock.ends) end()
        },
      }
    },
    async whileAsking(ask) {
      if (++asking === 1) running.forEach(halt)
      try {
        return await ask()
      } finally {
        if (--asking === 0) running.forEach(go)
      }
    },
    overWithAll() {
      const over = new AbortController()
      let left = running.size
      const end = () => {
        left -= 1
        if (left === 0) over.abort(new CallRefused('cancelled', 'The call that asked is over.'))
      }
      for (const { ends } of running) ends.push(end)
      return over.signal
    },
    leave() {
      const [only, ...others] = running
      if (others.length === 0) only?.leave()
    },
  }
}

/** The tool itself took too long; no person was waited for. */
export class ToolTimedOut extends Error {
  constructor(timeoutMs: number) {
    super(`The tool did not answer within ${timeoutMs} ms.`)
    this.name = new.target.name
  }
}
