import { createHmac, timingSafeEqual } from 'node:crypto'

/** The header that proves who sent a delivery, and when. */
export const signatureHeader = 'assent-signature'

/** Names one delivery: the same for each try of it, so that a receiver can tell a second one from a repeated one. */
export const deliveryHeader = 'assent-delivery'

/** `t=<seconds since 1970>,v1=<hex HMAC-SHA-256 of "t.body">`. */
export function signature(body: string, secret: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1_000)
  return `t=${seconds},v1=${mac(`${seconds}.${body}`, secret).toString('hex')}`
}

export interface VerifyOptions {
  /** Default: now. */
  readonly now?: Date
  /** How old, or how far ahead, a delivery may be. Default: 300 s. */
  readonly toleranceS?: number
}

/** Whether a delivery was signed with this secret, just now. `body` must be what came, byte for byte, and not parsed. */
export function verifyWebhook(
  body: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  { now = new Date(), toleranceS = 300 }: VerifyOptions = {},
): boolean {
  // Whoever forgot to set the secret must not take everybody's word.
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
