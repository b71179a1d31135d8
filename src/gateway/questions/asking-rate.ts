import type { Clock } from '../../base/clock.ts'
import { type Requester, requesterKey } from '../../participant/requester.ts'

const minute = 60_000
/** How many pairs of upstream and requester are kept before inactive ones are dropped. */
const many = 1_000

/** Limits how many questions in a minute an upstream may ask one requester (E06-08). */
export function createAskingRate(
  most: number | undefined,
  clock: Clock,
): (server: string, requester: Requester) => boolean {
  if (most === undefined) return () => true
  const asked = new Map<string, number[]>()

  function forgetQuiet(now: number): void {
    for (const [key, times] of asked) if ((times.at(-1) ?? 0) <= now - minute) asked.delete(key)
  }

  return (server, requester) => {
    const now = clock.now().getTime()
    if (asked.size >= many) forgetQuiet(now)
    const key = `${server}\n${requesterKey(requester)}`
    const recent = (asked.get(key) ?? []).filter((time) => time > now - minute)
    const isAllowed = recent.length < most
    if (isAllowed) recent.push(now)
    asked.set(key, recent)
    return isAllowed
  }
}
