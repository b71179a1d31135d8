import { isPlainObject } from '../../base/json.ts'
import type { AuditEvent, Head } from '../event.ts'

/** Only the end of the chain: an event or an anchor is a head with more to it. */
export function headOf({ chain, seq, mac }: Head): Head {
  return { chain, seq, mac }
}

/** Whether a value of unknown origin is the end of a chain. */
export function isHead(value: unknown): value is Head {
  if (!isPlainObject(value)) return false
  const { chain, seq, mac } = value
  return typeof chain === 'string' && typeof mac === 'string' && Number.isSafeInteger(seq) && Number(seq) > 0
}

/** The ends of other chains that an event bears witness to. */
export function headsIn({ kind, data }: AuditEvent): Head[] {
  if (kind !== 'chain-opened' && kind !== 'heads') return []
  const heads: unknown = data.heads
  return Array.isArray(heads) ? heads.filter(isHead) : []
}
