import type { Clock } from '../../base/clock.ts'
import { type Requester, requesterKey } from '../../participant/requester.ts'

const minute = 60_000
/** How many pairs of upstream and requester are remembered before those that are quiet are forgotten. */
const many = 1_000

/** Whether an upstream may put one more question to a requester: so many in a minute, and no more (E06-08). */
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
