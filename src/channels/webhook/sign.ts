import { createHmac, timingSafeEqual } from 'node:crypto'

/** The header with the signature, which proves who sent a delivery, and when. */
export const signatureHeader = 'assent-signature'

/** The header with the delivery's id, which is the same for every attempt, so that a receiver can ignore repeats. */
export const deliveryHeader = 'assent-delivery'

/** `t=<seconds since 1970>,v1=<hex HMAC-SHA-256 of "t.body">`. */
export function signature(body: string, secret: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1_000)
  return `t=${seconds},v1=${mac(`${seconds}.${body}`, secret).toString('hex')}`
}

/** Options of `verifyWebhook`. */
export interface VerifyOptions {
  /** Default: now. */
  readonly now?: Date
  /** The greatest difference between now and the time of the signature, in seconds. Default: 300. */
  readonly toleranceS?: number
}

/** Whether a delivery has a recent signature by this secret. `body` must be the raw body, as it was received. */
export function verifyWebhook(
  body: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  { now = new Date(), toleranceS = 300 }: VerifyOptions = {},
): boolean {
  // Without a secret anybody could sign, so nothing verifies.
  if (secret === '') return false
  const [, seconds, hex] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header ?? '') ?? []
  if (seconds === undefined || hex === undefined) return false
  if (Math.abs(now.getTime() / 1_000 - Number(seconds)) > toleranceS) return false
  const expected = mac(Buffer.concat([Buffer.from(`${seconds}.`), Buffer.from(body)]), secret)
  return timingSafeEqual(expected, Buffer.from(hex, 'hex'))
}

function mac(text: string | Uint8Array, secret: string): Buffer {
  return createHmac('sha256', secret).update(text).digest()
}
