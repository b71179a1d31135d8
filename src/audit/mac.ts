import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalJson, digest } from '../base/canonical.ts'
import type { Anchor, AuditEvent, Head, Kept } from './event.ts'

/** An event that has no place in a chain yet. */
export type EventDraft = Omit<AuditEvent, 'chain' | 'seq' | 'prev' | 'mac'>

/** Gives a draft the place after `previous`; a chain without events has a head of seq 0 and an empty mac. */
export function chainEvent(key: Buffer, previous: Head, draft: EventDraft): AuditEvent {
  const event = { ...draft, chain: previous.chain, seq: previous.seq + 1, prev: previous.mac }
  return { ...event, mac: eventMac(key, event) }
}

/** Whether this event was written at this place with this key, and nothing but `kept` was changed since. */
export function isGenuine(key: Buffer, event: AuditEvent): boolean {
  return isSame(event.mac, () => eventMac(key, event))
}

/** The digest that stays in the event when what was kept is erased. */
export function digestKept({ salt, value }: Kept): string {
  return digest({ salt, value })
}

/** Whether what is kept is what was written. Nothing kept is not a change: it may have been erased. */
export function isKeptGenuine({ kept, keptDigest = '' }: AuditEvent): boolean {
  return kept === undefined || isSame(keptDigest, () => digestKept(kept))
}

/** Vouches that everything up to this event was deleted on purpose. */
export function anchorAt(key: Buffer, { chain, seq, mac }: Head): Anchor {
  const head = { chain, seq, mac }
  return { ...head, anchorMac: anchorMac(key, head) }
}

/** Whether this anchor was made with this key. */
export function isGenuineAnchor(key: Buffer, anchor: Anchor): boolean {
  return isSame(anchor.anchorMac, () => anchorMac(key, anchor))
}

function eventMac(key: Buffer, event: Omit<AuditEvent, 'mac'>): string {
  const { chain, seq, at, kind, who, about, data, keptDigest, prev } = event
  return macOver(key, 'event', { chain, seq, at: at.toISOString(), kind, who, about, data, keptDigest, prev })
}

function anchorMac(key: Buffer, { chain, seq, mac }: Head): string {
  return macOver(key, 'anchor', { chain, seq, mac })
}

// The purpose comes first, so that the mac of an event can never pass for that of an anchor.
function macOver(key: Buffer, purpose: 'event' | 'anchor', value: object): string {
  return createHmac('sha256', key)
    .update(`assent audit ${purpose}\n${canonicalJson(value)}`)
    .digest('base64url')
}

function isSame(given: string, compute: () => string): boolean {
  try {
    const [a, b] = [Buffer.from(given), Buffer.from(compute())]
    return a.length === b.length && timingSafeEqual(a, b)
  } catch {
    // What was tampered with may be no date, or no JSON: then no mac over it exists.
    return false
  }
}
