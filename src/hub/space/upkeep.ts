import { inBackground } from '../../base/under-way.ts'
import type { OpenRequest } from '../routing/open-requests.ts'
import type { SpaceDesk } from './desk.ts'

interface UpkeepParts {
  readonly desk: SpaceDesk
  readonly historyMs: number
  /** Tells the sender of a request that nobody answered. */
  timedOut(request: OpenRequest): Promise<unknown>
  saveReceived(): void
}

const sweepMs = 1_000
const forgetMs = 60_000
const saveMs = 500
const mostDeleted = 10_000

/** Ends requests that nobody answered, deletes old envelopes, and remembers what arrived. Returns how to stop. */
export function keepSpaceTidy({ desk, historyMs, timedOut, saveReceived }: UpkeepParts): () => void {
  const { assent, requests, times } = desk

  /** One who waits for a person has as long as the person has. */
  function isOver({ details, isHeld }: OpenRequest, now: number): boolean {
    if (isHeld || details.question !== undefined || now - details.since < times.answer) return false
    return ![...requests.all()].some(({ from, details: other }) => from === details.to && other.question !== undefined)
  }

  function sweep(): void {
    const now = assent.clock.now().getTime()
    for (const request of [...requests.all()].filter((one) => isOver(one, now))) {
      requests.remove(request)
      desk.surely(async () => {
        await timedOut(request)
        await desk.stop(request)
      })
    }
  }

  function forget(): void {
    const moment = new Date(assent.clock.now().getTime() - historyMs)
    inBackground(assent.store.hub.deleteEnvelopes(desk.name, moment, mostDeleted))
  }

  const timers = [setInterval(sweep, sweepMs), setInterval(forget, forgetMs), setInterval(saveReceived, saveMs)]
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}
