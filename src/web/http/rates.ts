import type { Clock } from '../../base/clock.ts'
import type { WebLimits } from '../options.ts'

/** Rate limits. Each method counts one request and returns the seconds to wait; undefined when it may pass. */
export interface Rates {
  address(network: string): number | undefined
  person(participant: string): number | undefined
  /** By the digest of its token. */
  program(key: string): number | undefined
  question(participant: string, id: string): number | undefined
}

/** `now` is in milliseconds, and never goes back. */
export function createRates(limits: WebLimits, now: () => number = () => performance.now()): Rates {
  const byAddress = createMinutes(limits.perAddressPerMinute, now)
  const byPerson = createMinutes(limits.perPersonPerMinute, now)
  const byQuestion = createMinutes(limits.perQuestionPerMinute, now)
  return {
    address: byAddress,
    person: byPerson,
    program: createMinutes(limits.perTokenPerMinute, now),
    // Counted by person as well, so that a stranger who has the link cannot lock out the person who was asked.
    question: (participant, id) => byQuestion(`${participant} ${id}`),
  }
}

/** Counts requests by key. The minute of a key starts with its first request, and what comes too often does not prolong it. */
function createMinutes(most: number, now: () => number): (key: string) => number | undefined {
  // Minutes are equally long, so the first in the map is the first to be over.
  const minutes = new Map<string, { count: number; readonly endsAt: number }>()
  return (key) => {
    const at = now()
    for (const [known, { endsAt }] of minutes) {
      if (endsAt > at) break
      minutes.delete(known)
    }
    const minute = minutes.get(key) ?? { count: 0, endsAt: at + minuteMs }
    if (minute.count === 0) minutes.set(key, minute)
    minute.count += 1
    return minute.count > most ? Math.max(1, Math.ceil((minute.endsAt - at) / 1_000)) : undefined
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
