import type { Owned } from '../../participant/owned.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { fromMs, type IntegerValue } from './values.ts'

/** What kinds of records the table `owned` holds. */
export type OwnedKind = 'token' | 'push'

/** One record as a SQL row. Fields that no query needs are JSON in `details`. */
export interface OwnedRow<Ms = IntegerValue> {
  kind: string
  id: string
  key: string
  participant: string
  expires_at: Ms
  details: string
}

export const ownedColumns = ['kind', 'id', 'key', 'participant', 'expires_at', 'details'] as const

/** The inverse of `fromOwnedRow`. */
export function toOwnedRow(kind: OwnedKind, one: Owned): OwnedRow<number> {
  const { id, key, participant, expiresAt, createdAt, ...shown } = one
  const details = JSON.stringify({ ...shown, createdAt: createdAt.getTime() })
  return { kind, id, key, participant, expires_at: expiresAt.getTime(), details }
}

/** The record of a row. */
export function fromOwnedRow<One extends Owned>({ id, key, participant, expires_at, details }: OwnedRow): One {
  const { createdAt, ...shown } = JSON.parse(details) as { createdAt: number }
  const owned: Owned = {
    id,
    key,
    participant: participant as ParticipantId,
    createdAt: fromMs(createdAt),
    expiresAt: fromMs(expires_at),
  }
  return { ...owned, ...shown } as One
}
