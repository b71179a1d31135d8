import type { Browser } from '../../participant/browser.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { fromMs, type IntegerValue } from './values.ts'

/** One browser as a SQL row. Fields that no query needs are JSON in `details`. */
export interface BrowserRow<Ms = IntegerValue> {
  id: string
  key: string
  participant: string
  expires_at: Ms
  details: string
}

interface Details extends Pick<Browser, 'groups' | 'by' | 'name'> {
  createdAt: number
}

export const browserColumns = ['id', 'key', 'participant', 'expires_at', 'details'] as const

/** The inverse of `fromBrowserRow`. */
export function toBrowserRow({ id, key, participant, expiresAt, createdAt, ...shown }: Browser): BrowserRow<number> {
  const details: Details = { ...shown, createdAt: createdAt.getTime() }
  return { id, key, participant, expires_at: expiresAt.getTime(), details: JSON.stringify(details) }
}

/** The browser of a row. */
export function fromBrowserRow({ id, key, participant, expires_at, details }: BrowserRow): Browser {
  const { createdAt, ...shown }: Details = JSON.parse(details)
  return {
    id,
    key,
    participant: participant as ParticipantId,
    ...shown,
    createdAt: fromMs(createdAt),
    expiresAt: fromMs(expires_at),
  }
}
