import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/**
 * How `assent hook` and the gateway know each other. Neither sends the token: whoever else listens on the gateway's port
 * learns nothing that it could use, and an `allow` of its own is not believed.
 */
export const nonceHeader = 'assent-hook-nonce'
export const proofHeader = 'assent-hook-proof'
export const signedScheme = 'Assent-Hook'

/** What the request is signed with, by the same token that a plain request carries. */
export function requestProof(token: string, nonce: string, body: string): string {
  return proof(token, 'request', nonce, body)
}

/** What the answer to that very request is signed with. */
export function answerProof(token: string, nonce: string, body: string): string {
  return proof(token, 'answer', nonce, body)
}

function proof(token: string, what: 'request' | 'answer', nonce: string, body: string): string {
  return createHmac('sha256', token)
    .update(JSON.stringify([what, nonce, body]))
    .digest('base64url')
}

/** Compares secrets in the same time whatever they are. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}
