import type { Grant, GrantId, GrantUses, Spent } from '../../approval/grant/grant.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { fromMs, fromName, type IntegerValue, toMs, toName } from './values.ts'

/** One grant as a SQL row. Fields that no query needs are JSON in `terms`. */
export interface GrantRow<Int = IntegerValue> {
  id: string
  version: Int
  uses: GrantUses['kind']
  participant: string
  /** A server may name a tool by any text: see `toName`. */
  server: string
  tool: string | null
  /** Set together with `call` for a grant that is for one call only. */
  requester: string | null
  call: string | null
  spent_at: Int | null
  revoked_at: Int | null
  expires_at: Int | null
  /** When the grant ended or will end: the earliest of being spent, revoked or expired. */
  over_at: Int | null
  /** Names are stored only in this column and `revoked_by`, so that a plain UPDATE can remove a forgotten name. */
  granted_by: string
  revoked_by: string | null
  terms: string
}

interface Terms extends Pick<Grant, 'effect' | 'client' | 'agents' | 'where' | 'definition' | 'elicitation'> {
  createdAt: number
  spent: Omit<Spent, 'at'> | null
}

/** The columns that a save writes. Names are written once, so that a save cannot restore a name that was forgotten. */
export const savedColumns = [
  ...(['version', 'uses', 'participant', 'server', 'tool', 'requester', 'call'] as const),
  ...(['spent_at', 'revoked_at', 'expires_at', 'over_at', 'terms'] as const),
]

export const grantColumns = ['id', 'granted_by', 'revoked_by', ...savedColumns] as const

/** The inverse of `fromGrantRow`, except that undefined fields become absent. */
export function toGrantRow(grant: Grant): GrantRow<number> {
  const { id, version, participant, server, tool, uses, grantedBy, createdAt, expiresAt, revoked, ...rest } = grant
  const once = uses.kind === 'once' ? uses : undefined
  const ends = [once?.spent?.at, revoked?.at, expiresAt].flatMap((end) => end?.getTime() ?? [])
  const terms: Terms = { ...rest, createdAt: createdAt.getTime(), spent: withoutMoment(once?.spent) }
  return {
    id,
    version,
    uses: uses.kind,
    participant,
    server: toName(server),
    tool: tool === undefined ? null : toName(tool),
    requester: once?.requester ?? null,
    call: once?.call ?? null,
    spent_at: toMs(once?.spent?.at),
    revoked_at: toMs(revoked?.at),
    expires_at: toMs(expiresAt),
    over_at: ends.length === 0 ? null : Math.min(...ends),
    granted_by: grantedBy,
    revoked_by: revoked?.by ?? null,
    terms: JSON.stringify(terms),
  }
}

/** The grant of a row. */
export function fromGrantRow(row: GrantRow): Grant {
  const { createdAt, spent, ...rest }: Terms = JSON.parse(row.terms)
  return {
    id: row.id as GrantId,
    version: Number(row.version),
    participant: row.participant as ParticipantId,
    server: fromName(row.server),
    ...(row.tool === null ? {} : { tool: fromName(row.tool) }),
    ...rest,
    uses: usesOf(row, spent),
    grantedBy: row.granted_by as ParticipantId,
    createdAt: fromMs(createdAt),
    ...(row.expires_at === null ? {} : { expiresAt: fromMs(row.expires_at) }),
    ...(row.revoked_at === null
      ? {}
      : { revoked: { at: fromMs(row.revoked_at), by: row.revoked_by as ParticipantId } }),
  }
}

function usesOf({ requester, call, spent_at }: GrantRow, spent: Terms['spent']): GrantUses {
  if (requester === null || call === null) return { kind: 'many' }
  if (spent_at === null || spent === null) return { kind: 'once', requester, call }
  return { kind: 'once', requester, call, spent: { at: fromMs(spent_at), ...spent } }
}

function withoutMoment(spent: Spent | undefined): Terms['spent'] {
  if (spent === undefined) return null
  const { at: _, ...rest } = spent
  return rest
}
