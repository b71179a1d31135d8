import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto'
import type { PushTarget } from '../../participant/push-target.ts'

/** What is new for each message. */
export interface Fresh {
  readonly ours: ECDH
  readonly salt: Buffer
}

const recordBytes = 4_096
/** After the text of the last record. */
const lastRecord = Buffer.from([2])

/** A message that only this browser can read, in one record: RFC 8291 over RFC 8188 (`aes128gcm`). */
export function encryptFor(
  { p256dh, auth }: Pick<PushTarget, 'p256dh' | 'auth'>,
  text: string,
  { ours, salt }: Fresh = fresh(),
): Buffer {
  const theirKey = Buffer.from(p256dh, 'base64url')
  const ourKey = ours.getPublicKey()
  const shared = ours.computeSecret(theirKey)
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), theirKey, ourKey])
  const secret = expand(shared, Buffer.from(auth, 'base64url'), about, 32)
  const key = expand(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = expand(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const body = [cipher.update(Buffer.concat([Buffer.from(text), lastRecord])), cipher.final(), cipher.getAuthTag()]
  const size = Buffer.alloc(4)
  size.writeUInt32BE(recordBytes)
  return Buffer.concat([salt, size, Buffer.from([ourKey.length]), ourKey, ...body])
}

function fresh(): Fresh {
  const ours = createECDH('prime256v1')
  ours.generateKeys()
  return { ours, salt: randomBytes(16) }
}

const expand = (secret: Buffer, salt: Buffer, about: Buffer, bytes: number) =>
  Buffer.from(hkdfSync('sha256', secret, salt, about, bytes))
