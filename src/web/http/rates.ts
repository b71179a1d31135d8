import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Clock } from '../../base/clock.ts'
import type { WebLimits } from '../options.ts'

/** Rate limits. Each method counts one request and returns the seconds to wait; undefined when it may pass. */
export interface Rates {
  address(network: string): Promise<number | undefined>
  person(participant: string): Promise<number | undefined>
  question(participant: string, id: string): Promise<number | undefined>
}

export function createRates({ perAddressPerMinute, perPersonPerMinute, perQuestionPerMinute }: WebLimits): Rates {
  const byAddress = new RateLimiterMemory({ points: perAddressPerMinute, duration: 60 })
  const byPerson = new RateLimiterMemory({ points: perPersonPerMinute, duration: 60 })
  const byQuestion = new RateLimiterMemory({ points: perQuestionPerMinute, duration: 60 })
  return {
    address: (network) => secondsToWait(byAddress, network),
    person: (participant) => secondsToWait(byPerson, participant),
    // Counted by person as well, so that a stranger who has the link cannot lock out the person who was asked.
    question: (participant, id) => secondsToWait(byQuestion, `${participant} ${id}`),
  }
}

/** Equal events that come again and again. */
export interface Repeats {
  /**
   * Whether this is the first of its kind. Others are counted, and each minute that brings some ends with `tell`, with how
   * many there were.
   */
  isFirst(kind: string, tell: (count: number) => void): boolean
  /** Tells what was counted so far. */
  close(): void
}

const minuteMs = 60_000
/** Strangers choose among many addresses: kinds beyond this number count as one. */
const mostKinds = 1_000

export function createRepeats(clock: Clock): Repeats {
  const counts = new Map<string, { count: number; tell(count: number): void; callOff(): void }>()

  function begin(kind: string, tell: (count: number) => void): void {
    counts.set(kind, { count: 0, tell, callOff: clock.after(minuteMs, () => endMinute(kind)) })
  }

  function endMinute(kind: string): void {
    const { count, tell } = counts.get(kind) ?? { count: 0, tell() {} }
    counts.delete(kind)
    if (count === 0) return
    begin(kind, tell)
    tell(count)
  }

  return {
    isFirst(given, tell) {
      const kind = counts.has(given) || counts.size < mostKinds ? given : 'any other'
      const known = counts.get(kind)
      if (known === undefined) begin(kind, tell)
      else known.count += 1
      return known === undefined
    },
    close() {
      for (const { count, tell, callOff } of counts.values()) {
        callOff()
        if (count > 0) tell(count)
      }
      counts.clear()
    },
  }
}

async function secondsToWait(limiter: RateLimiterMemory, key: string): Promise<number | undefined> {
  try {
    await limiter.consume(key)
    return undefined
  } catch (error) {
    if (error instanceof RateLimiterRes) return Math.max(1, Math.ceil(error.msBeforeNext / 1_000))
    throw error
  }
}
