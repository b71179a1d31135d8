import type { Holding } from '../../instance/holding.ts'
import type { Instance } from '../../instance/instance.ts'
import type { KeptSession } from '../../instance/kept-session.ts'
import type { Mail } from '../../instance/mailbox.ts'
import { fromMs, type IntegerValue } from './values.ts'

/** An instance as a row. */
export interface InstanceRow<Integer = IntegerValue> {
  id: string
  started_at: Integer
  seen_at: Integer
  ahead_ms: Integer
  stopping: Integer
}

export const instanceColumns = ['id', 'started_at', 'seen_at', 'ahead_ms', 'stopping'] as const

/** The inverse of `fromInstanceRow`. */
export function toInstanceRow({ id, startedAt, seenAt, aheadMs, isStopping }: Instance): InstanceRow<number> {
  return {
    id,
    started_at: startedAt.getTime(),
    seen_at: seenAt.getTime(),
    ahead_ms: Math.round(aheadMs),
    stopping: isStopping ? 1 : 0,
  }
}

/** The instance of a row. */
export function fromInstanceRow({ id, started_at, seen_at, ahead_ms, stopping }: InstanceRow): Instance {
  return {
    id,
    startedAt: fromMs(started_at),
    seenAt: fromMs(seen_at),
    aheadMs: Number(ahead_ms),
    isStopping: Number(stopping) === 1,
  }
}

/** A mail as a row. */
export interface MailRow<Integer = IntegerValue> {
  id: string
  recipient: string
  at: Integer
  sealed_key: string
  box: string
}

export const mailColumns = ['id', 'recipient', 'at', 'sealed_key', 'box'] as const

/** The inverse of `fromMailRow`. */
export function toMailRow({ id, to, at, content }: Mail): MailRow<number> {
  return { id, recipient: to, at: at.getTime(), sealed_key: content.key, box: content.box }
}

/** The mail of a row. */
export function fromMailRow({ id, recipient, at, sealed_key, box }: MailRow): Mail {
  return { id, to: recipient, at: fromMs(at), content: { key: sealed_key, box } }
}

/** What changed in a session as a row. */
export interface SessionRow<Integer = IntegerValue> {
  session: string
  revoked: Integer
  level: string | null
  stream: string | null
  expires_at: Integer
}

/** What is kept of the session of a row. */
export function fromSessionRow({ session, revoked, level, stream, expires_at }: SessionRow): KeptSession {
  return {
    key: session,
    isRevoked: Number(revoked) === 1,
    ...(level != null && { level }),
    ...(stream != null && { stream }),
    expiresAt: fromMs(expires_at),
  }
}

/** Who holds a session with an upstream, as a row. */
export interface HoldingRow<Integer = IntegerValue> {
  holding: string
  holder: string
  sealed_key: string | null
  box: string | null
  version: Integer
  expires_at: Integer
}

export const holdingColumns = ['holding', 'holder', 'sealed_key', 'box', 'version', 'expires_at'] as const

/** The inverse of `fromHoldingRow`. */
export function toHoldingRow({ key, holder, resume, version, expiresAt }: Holding): HoldingRow<number> {
  return {
    holding: key,
    holder,
    sealed_key: resume?.key ?? null,
    box: resume?.box ?? null,
    version,
    expires_at: expiresAt.getTime(),
  }
}

/** The holding of a row. */
export function fromHoldingRow({ holding, holder, sealed_key, box, version, expires_at }: HoldingRow): Holding {
  return {
    key: holding,
    holder,
    ...(sealed_key != null && box != null && { resume: { key: sealed_key, box } }),
    version: Number(version),
    expiresAt: fromMs(expires_at),
  }
}
