import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
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

async function secondsToWait(limiter: RateLimiterMemory, key: string): Promise<number | undefined> {
  try {
    await limiter.consume(key)
    return undefined
  } catch (error) {
    if (error instanceof RateLimiterRes) return Math.max(1, Math.ceil(error.msBeforeNext / 1_000))
    throw error
  }
}
