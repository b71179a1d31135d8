import { createECDH, createPrivateKey, hkdfSync, type KeyObject, sign } from 'node:crypto'

/** The key by which push services know an installation (VAPID, RFC 8292). */
export interface VapidKey {
  /** 65 bytes in base64url: browsers bind their subscription to it. */
  readonly publicKey: string
  readonly privateKey: KeyObject
}

/** The order of P-256. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
/** Push services refuse what is valid for more than a day. */
const validSeconds = 12 * 3_600

/** The same key for the same seed. 48 bytes leave no bias after the remainder. */
export function vapidKey(seed: Buffer): VapidKey {
  const wide = BigInt(`0x${Buffer.from(hkdfSync('sha256', seed, '', 'assent/push vapid', 48)).toString('hex')}`)
  const secret = Buffer.from(((wide % (order - 1n)) + 1n).toString(16).padStart(64, '0'), 'hex')
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(secret)
  const point = curve.getPublicKey()
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    d: secret.toString('base64url'),
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  return { publicKey: point.toString('base64url'), privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) }
}

/** The `Authorization` header for one push service. `contact` is told to it, for when something is wrong. */
export function authorization(
  { publicKey, privateKey }: VapidKey,
  endpoint: string,
  contact: string,
  now: Date,
): string {
  const exp = Math.floor(now.getTime() / 1_000) + validSeconds
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ typ: 'JWT', alg: 'ES256' })}.${part({ aud: new URL(endpoint).origin, exp, sub: contact })}`
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`
}
