import type { Connection } from '../../connection/connection.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { fromMs, type IntegerValue, toMs } from './values.ts'

/** One connection as a SQL row. Fields that no query needs are JSON in `details`. */
export interface ConnectionRow<Int = IntegerValue> {
  participant: string
  provider: string
  id: string
  version: Int
  sealed_key: string
  box: string
  details: string
}

interface Details
  extends Pick<Connection, 'scopes' | 'standing' | 'renewable' | 'account' | 'issuedBy' | 'elicitation'> {
  expiresAt: number | null
  obtained: { at: number; by: Connection['obtained']['by'] }
  refreshingUntil: number | null
  connectedAt: number
}

export const connectionColumns = ['participant', 'provider', 'id', 'version', 'sealed_key', 'box', 'details'] as const

/** The inverse of `fromConnectionRow`, except that undefined fields become absent. */
export function toConnectionRow(connection: Connection): ConnectionRow<number> {
  const { participant, provider, id, version, sealed, ...known } = connection
  const details: Details = {
    ...known,
    expiresAt: toMs(known.expiresAt),
    obtained: { at: known.obtained.at.getTime(), by: known.obtained.by },
    refreshingUntil: toMs(known.refreshingUntil),
    connectedAt: known.connectedAt.getTime(),
  }
  return {
    participant,
    provider,
    id,
    version,
    sealed_key: sealed.key,
    box: sealed.box,
    details: JSON.stringify(details),
  }
}

/** The connection of a row. */
export function fromConnectionRow(row: ConnectionRow): Connection {
  const { expiresAt, obtained, refreshingUntil, connectedAt, ...known }: Details = JSON.parse(row.details)
  return {
    id: row.id,
    version: Number(row.version),
    participant: row.participant as ParticipantId,
    provider: row.provider,
    ...known,
    sealed: { key: row.sealed_key, box: row.box },
    ...(expiresAt === null ? {} : { expiresAt: fromMs(expiresAt) }),
    obtained: { at: fromMs(obtained.at), by: obtained.by },
    ...(refreshingUntil === null ? {} : { refreshingUntil: fromMs(refreshingUntil) }),
    connectedAt: fromMs(connectedAt),
  }
}
