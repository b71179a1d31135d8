import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { WebLimits } from '../options.ts'

/** Counts what is asked of us. Each gives the seconds to wait, or nothing when it may go on. */
export interface Rates {
  address(address: string): Promise<number | undefined>
  question(participant: string, id: string): Promise<number | undefined>
}

export function createRates({ perAddressPerMinute, perQuestionPerMinute }: WebLimits): Rates {
  const byAddress = new RateLimiterMemory({ points: perAddressPerMinute, duration: 60 })
  const byQuestion = new RateLimiterMemory({ points: perQuestionPerMinute, duration: 60 })
  return {
    address: (address) => secondsToWait(byAddress, address),
    // By person too: a stranger who has the address of a question must not be able to keep its person out.
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
