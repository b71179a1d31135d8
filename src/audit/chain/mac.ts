import { hash, timingSafeEqual } from 'node:crypto'
import { canonicalJson, digest } from '../../base/canonical.ts'
import type { Anchor, AuditEvent, Head, KeptInFull, SpelledEvent } from '../event.ts'

/** An event that has no place in a chain yet. */
export type EventDraft = Omit<AuditEvent, 'chain' | 'seq' | 'prev' | 'mac'>

/** The same with its data as canonical JSON. */
export type SpelledDraft = Omit<SpelledEvent, 'chain' | 'seq' | 'prev' | 'mac'>

/** Puts a draft after `previous`. A chain without events has a head with seq 0 and an empty MAC. */
export function chainEvent(key: Buffer, previous: Head, { data, ...draft }: EventDraft): AuditEvent {
  return readSpelled(chainSpelled(key, previous, { ...draft, spelled: canonicalJson(data) }))
}

/** The same for a draft whose data is spelled. */
export function chainSpelled(key: Buffer, previous: Head, draft: SpelledDraft): SpelledEvent {
  const { at, kind, who, about, spelled, kept, keptDigest } = draft
  // Assigned field by field, which is faster than a spread: every tool call makes two events.
  const event: { -readonly [Key in keyof SpelledEvent]: SpelledEvent[Key] } = {
    chain: previous.chain,
    seq: previous.seq + 1,
    at,
    kind,
    spelled,
    prev: previous.mac,
    mac: '',
  }
  if (who !== undefined) event.who = who
  if (about !== undefined) event.about = about
  if (kept !== undefined) event.kept = kept
  if (keptDigest !== undefined) event.keptDigest = keptDigest
  event.mac = eventMac(key, event, spelled)
  return event
}

/** The event with its data as an object of its own. */
export function readSpelled({ spelled, ...event }: SpelledEvent): AuditEvent {
  return { ...event, data: JSON.parse(spelled) }
}

/** Whether this event was written at this place with this key, and nothing but `kept` was changed since. */
export function isGenuine(key: Buffer, event: AuditEvent): boolean {
  return isSame(event.mac, () => eventMac(key, event, canonicalJson(event.data)))
}

/** The digest of `kept`, which stays in the event when `kept` is erased. */
export function digestKept({ salt, value }: KeptInFull): string {
  return digest({ salt, value })
}

/** Whether `kept` is what was written. An absent `kept` counts as genuine, since it may have been erased. */
export function isKeptGenuine({ kept, keptDigest = '' }: AuditEvent): boolean {
  return kept === undefined || isSame(keptDigest, () => digestKept(kept))
}

/** Proves that everything up to this event was deleted on purpose. */
export function anchorAt(key: Buffer, { chain, seq, mac }: Head): Anchor {
  const head = { chain, seq, mac }
  return { ...head, anchorMac: anchorMac(key, head) }
}

/** Whether this anchor was made with this key. */
export function isGenuineAnchor(key: Buffer, anchor: Anchor): boolean {
  return isSame(anchor.anchorMac, () => anchorMac(key, anchor))
}

function eventMac(key: Buffer, event: Omit<AuditEvent, 'mac' | 'data'>, spelledData: string): string {
  return macOver(key, 'event', spellEvent(event, spelledData))
}

/** An event as canonical JSON, put together from its parts because its data is canonical JSON already. */
function spellEvent(event: Omit<AuditEvent, 'mac' | 'data'>, spelledData: string): string {
  const { chain, seq, at, kind, who, about, keptDigest, prev } = event
  const text = canonicalJson
  const first = about === undefined ? '' : `"about":${text(about)},`
  const kept = keptDigest === undefined ? '' : `"keptDigest":${text(keptDigest)},`
  const last = who === undefined ? '' : `,"who":${text(who)}`
  return `{${first}"at":"${at.toISOString()}","chain":${text(chain)},"data":${spelledData},${kept}"kind":${text(kind)},"prev":${text(prev)},"seq":${text(seq)}${last}}`
}

function anchorMac(key: Buffer, { chain, seq, mac }: Head): string {
  return macOver(key, 'anchor', canonicalJson({ chain, seq, mac }))
}

// The purpose comes first, so that the MAC of an event can never be used as that of an anchor.
function macOver(key: Buffer, purpose: 'event' | 'anchor', text: string): string {
  return hmac(key, `assent audit ${purpose}\n${text}`)
}

function isSame(given: string, compute: () => string): boolean {
  try {
    const [a, b] = [Buffer.from(given), Buffer.from(compute())]
    return a.length === b.length && timingSafeEqual(a, b)
  } catch {
    // A changed event may hold an invalid date, or no JSON. Then it has no valid MAC.
    return false
  }
}

const blockBytes = 64
const digestBytes = 32

/** The two beginnings that HMAC hashes a key into (RFC 2104). `outer` has room for the digest that is hashed with it. */
interface Pads {
  readonly inner: Buffer
  readonly outer: Buffer
}

const padsOf = new WeakMap<Buffer, Pads>()

/**
 * HMAC-SHA256 of a text, in base64url. Node's own creates a stream for each message, which costs more than the two
 * hashes of an HMAC; every tool call needs two.
 */
export function hmac(key: Buffer, text: string): string {
  const { inner, outer } = padsFor(key)
  const message = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(text))
  inner.copy(message)
  message.write(text, blockBytes)
  hash('sha256', message, 'buffer').copy(outer, blockBytes)
  return hash('sha256', outer, 'base64url')
}

function padsFor(key: Buffer): Pads {
  const known = padsOf.get(key)
  if (known !== undefined) return known
  const block = Buffer.alloc(blockBytes)
  const short = key.length > blockBytes ? hash('sha256', key, 'buffer') : key
  short.copy(block)
  const pads = { inner: block.map((byte) => byte ^ 0x36) as Buffer, outer: Buffer.alloc(blockBytes + digestBytes) }
  pads.outer.set(block.map((byte) => byte ^ 0x5c))
  padsOf.set(key, pads)
  return pads
}
