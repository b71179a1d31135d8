import { hash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Identified, Identify } from '../../participant/identify.ts'

const longest = 60_000
const most = 1_000

interface Kept {
  identified: Identified
  until: number
}

/** Caches who a token stands for, for a minute at most and never past its expiry. Refusals are not cached. */
export function rememberVerified(identify: Identify<string>, clock: Clock): Identify<string> {
  const kept = new Map<string, Kept>()

  return async (token) => {
    const now = clock.now().getTime()
    // A digest, so that a memory dump holds no tokens.
    const key = hash('sha256', token, 'base64')
    const known = kept.get(key)
    if (known !== undefined && now < known.until) return known.identified

    kept.delete(key)
    const identified = await identify(token)
    if (identified === undefined) return undefined
    kept.set(key, { identified, until: Math.min(now + longest, identified.expiresAt?.getTime() ?? Infinity) })
    if (kept.size > most) kept.delete(kept.keys().next().value as string)
    return identified
  }
}
