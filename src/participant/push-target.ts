import { createECDH } from 'node:crypto'
import { isPlainObject } from '../base/json.ts'
import { isUrl } from '../base/public-address.ts'

/** Where a browser is reached, and the keys that only it can open messages with. */
export interface PushTarget {
  /** Its address at the push service of its maker. Who knows it can try to send. */
  readonly endpoint: string
  /** Its public key on P-256, 65 bytes in base64url. */
  readonly p256dh: string
  /** 16 bytes in base64url. */
  readonly auth: string
}

const longestEndpoint = 1_024
const longest = 4_096

/** What `PushSubscription.toJSON` of a browser gives, as posted; undefined for anything else. */
export function readPushTarget(text: unknown): PushTarget | undefined {
  if (typeof text !== 'string' || text.length > longest) return undefined
  const given = parsed(text)
  if (!isPlainObject(given) || !isPlainObject(given.keys)) return undefined
  const { endpoint, keys } = given
  const { p256dh, auth } = keys
  if (typeof endpoint !== 'string' || typeof p256dh !== 'string' || typeof auth !== 'string') return undefined
  if (endpoint.length > longestEndpoint || !isUrl(endpoint)) return undefined
  if (!/^[\w-]{22}$/.test(auth) || !/^[\w-]{87}$/.test(p256dh) || !isOnCurve(p256dh)) return undefined
  return { endpoint: new URL(endpoint).href, p256dh, auth }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A point that is not on the curve would fail only when something is sent, and could reveal the sender's key. */
function isOnCurve(point: string): boolean {
  const ours = createECDH('prime256v1')
  ours.generateKeys()
  try {
    ours.computeSecret(Buffer.from(point, 'base64url'))
    return true
  } catch {
    return false
  }
}
