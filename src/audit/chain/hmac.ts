import { hash } from 'node:crypto'

const blockBytes = 64
const digestBytes = 32

/** The two beginnings that HMAC hashes a key into (RFC 2104). */
interface Pads {
  readonly inner: Buffer
  readonly outer: Buffer
}

const padsOf = new WeakMap<Buffer, Pads>()

/**
 * HMAC-SHA256 of a text, in base64url. Node's own makes a stream for each message, which is dearer than the two hashes
 * that an HMAC is; every call that runs is signed twice.
 */
export function hmac(key: Buffer, text: string): string {
  const { inner, outer } = padsFor(key)
  const message = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(text))
  inner.copy(message)
  message.write(text, blockBytes)
  const second = Buffer.allocUnsafe(blockBytes + digestBytes)
  outer.copy(second)
  hash('sha256', message, 'buffer').copy(second, blockBytes)
  return hash('sha256', second, 'base64url')
}

function padsFor(key: Buffer): Pads {
  const known = padsOf.get(key)
  if (known !== undefined) return known
  const block = Buffer.alloc(blockBytes)
  const short = key.length > blockBytes ? hash('sha256', key, 'buffer') : key
  short.copy(block)
  const pads = { inner: block.map((byte) => byte ^ 0x36) as Buffer, outer: block.map((byte) => byte ^ 0x5c) as Buffer }
  padsOf.set(key, pads)
  return pads
}
