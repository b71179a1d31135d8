import { CallRefused } from './call-refused.ts'

/** Limits the time of one tool call, and is paused while a person is asked. */
export interface ToolClock {
  /** Aborts when the tool has used up its time, or the caller cancels. */
  readonly signal: AbortSignal
  stop(): void
}

/** All clocks of one client. They are paused together, because a server that asks does not say for which call. */
export interface ToolClocks {
  start(timeoutMs: number, callerSignal: AbortSignal): ToolClock
  /** Pauses all clocks until `ask` resolves. */
  whileAsking<T>(ask: () => Promise<T>): Promise<T>
  /** Aborts when every call that is in flight now has ended. Never aborts if there is none. */
  whenAllCallsEnd(): AbortSignal
  /** Cancels the call in flight, for the person. Does nothing if there are several, because it could be any of them. */
  cancelOnlyCall(): void
}

interface RunningClock {
  remainingMs: number
  since: number
  timer: NodeJS.Timeout | undefined
  readonly expire: () => void
  readonly cancel: () => void
  readonly onStop: (() => void)[]
}

export function createToolClocks(): ToolClocks {
  const running = new Set<RunningClock>()
  let asking = 0

  function resume(clock: RunningClock): void {
    clock.since = performance.now()
    clock.timer = setTimeout(clock.expire, clock.remainingMs)
  }

  function pause(clock: RunningClock): void {
    if (clock.timer === undefined) return
    clearTimeout(clock.timer)
    clock.timer = undefined
    clock.remainingMs -= performance.now() - clock.since
  }

  return {
    start(timeoutMs, callerSignal) {
      const ended = new AbortController()
      const expire = () => ended.abort(new ToolTimedOut(timeoutMs))
      const cancel = () => ended.abort(new CallRefused('cancelled', 'The person cancelled.'))
      const clock: RunningClock = { remainingMs: timeoutMs, since: 0, timer: undefined, expire, cancel, onStop: [] }
      running.add(clock)
      if (asking === 0) resume(clock)
      return {
        signal: AbortSignal.any([ended.signal, callerSignal]),
        stop() {
          pause(clock)
          running.delete(clock)
          for (const end of clock.onStop) end()
        },
      }
    },
    async whileAsking(ask) {
      if (++asking === 1) running.forEach(pause)
      try {
        return await ask()
      } finally {
        if (--asking === 0) running.forEach(resume)
      }
    },
    whenAllCallsEnd() {
      const allEnded = new AbortController()
      let remaining = running.size
      const end = () => {
        remaining -= 1
        if (remaining === 0) allEnded.abort(new CallRefused('cancelled', 'The call that asked has ended.'))
      }
      for (const { onStop } of running) onStop.push(end)
      return allEnded.signal
    },
    cancelOnlyCall() {
      const [only, ...others] = running
      if (others.length === 0) only?.cancel()
    },
  }
}

/** The tool itself took too long. Time in which a person was asked does not count. */
export class ToolTimedOut extends Error {
  constructor(timeoutMs: number) {
    super(`The tool did not answer within ${timeoutMs} ms.`)
    this.name = new.target.name
  }
}
