import { inBackground } from '../../base/under-way.ts'
import type { OpenRequest } from '../routing/open-requests.ts'
import type { Appended } from '../store.ts'
import type { SpaceDesk } from './desk.ts'
import type { Failed } from './log.ts'

interface UpkeepParts {
  readonly desk: SpaceDesk
  readonly historyMs: number
  /** Tells the sender of a request that nobody answered. */
  timedOut(request: OpenRequest): Promise<Appended | Failed>
  saveReceived(): Promise<void>
}

const sweepMs = 1_000
const forgetMs = 60_000
const saveMs = 500
const mostDeleted = 10_000

/** Ends requests that nobody answered, deletes old envelopes, and remembers what arrived. Returns how to stop. */
export function keepSpaceTidy({ desk, historyMs, timedOut, saveReceived }: UpkeepParts): () => void {
  const { assent, requests, times } = desk

  const waitsForPerson = ({ details, isHeld }: OpenRequest) => isHeld || details.question !== undefined

  /** One who waits for a person has as long as the person has. Requests of another instance are ended there. */
  function isOver(request: OpenRequest, now: number): boolean {
    const { details } = request
    if (details.owner !== desk.instance || waitsForPerson(request) || now - details.since < times.answer) return false
    return ![...requests.all()].some((other) => other.from === details.to && waitsForPerson(other))
  }

  function sweep(): void {
    const now = assent.clock.now().getTime()
    for (const request of [...requests.all()].filter((one) => isOver(one, now))) {
      requests.remove(request)
      desk.surely(async () => {
        const end = await timedOut(request)
        if (end.kind === 'failed') throw end.error
      })
    }
  }

  function forget(): void {
    const moment = new Date(assent.clock.now().getTime() - historyMs)
    inBackground(assent.store.hub.deleteEnvelopes(desk.name, moment, mostDeleted))
  }

  const timers = [
    setInterval(sweep, sweepMs),
    setInterval(forget, forgetMs),
    setInterval(() => inBackground(saveReceived()), saveMs),
  ]
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}
