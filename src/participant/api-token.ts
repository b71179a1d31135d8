import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { type ApiRight, type ApiToken, apiRights } from './owned.ts'
import type { ParticipantId } from './participant.ts'

/** Whom a new token is for, and what it may do. */
export interface TokenWish {
  readonly participant: ParticipantId
  readonly name: string
  readonly rights: readonly ApiRight[]
  readonly days: number
}

/** Every token begins so, by which people and secret scanners know it. */
const mark = 'assent_'
const shape = /^assent_[\w-]{43}$/
const dayMs = 86_400_000
const longestTokenDays = 365
const longestTokenName = 60

/** The token, which is shown once and kept nowhere, and the record of it. */
export function newToken(
  { participant, name, rights, days }: TokenWish,
  now: Date,
): { readonly token: string; readonly record: ApiToken } {
  const token = `${mark}${randomBytes(32).toString('base64url')}`
  const record = {
    id: randomUUID(),
    key: digestOf(token),
    participant,
    name,
    rights: apiRights.filter((right) => rights.includes(right)),
    createdAt: now,
    expiresAt: new Date(now.getTime() + days * dayMs),
  }
  return { token, record }
}

/** The key by which a token is found; undefined for what is no token. */
export function keyOfToken(text: string | undefined): string | undefined {
  return text !== undefined && shape.test(text) ? digestOf(text) : undefined
}

/** What is wrong with a wish, in words; undefined: nothing. */
export function problemWithToken({ name, rights, days }: Omit<TokenWish, 'participant'>): string | undefined {
  if (name.trim() === '' || name.length > longestTokenName)
    return `Give it a name of 1 to ${longestTokenName} characters.`
  if (rights.length === 0) return 'Choose what it may do.'
  if (rights.includes('answer-own') && !rights.includes('answer')) return 'answer-own needs answer too.'
  if (!Number.isSafeInteger(days) || days < 1 || days > longestTokenDays) {
    return `It can be valid for 1 to ${longestTokenDays} days.`
  }
  return undefined
}

/** Random enough that nobody finds it by trying digests. */
function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
