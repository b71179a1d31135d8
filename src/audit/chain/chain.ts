import { randomBytes } from 'node:crypto'
import { canonicalJson } from '../../base/canonical.ts'
import { isPlainObject } from '../../base/json.ts'
import type { AuditEvent, ChainId, Head, SpelledEvent } from '../event.ts'
import type { AuditKind } from '../kinds.ts'
import type { AuditStore } from '../store.ts'
import { chainSpelled, readSpelled, type SpelledDraft } from './mac.ts'

export type Drafts = readonly [SpelledDraft, ...SpelledDraft[]]

/** Writes the chain of this process. The first event opens it; after a failed write a new chain is opened. */
export interface ChainWriter {
  /** Resolves when all are stored, in order. If it throws, they may be stored or not. */
  write(drafts: Drafts): Promise<void>
  /** The same without waiting, if the store can and nothing else must be read or written first. False: nothing was done. */
  writeAtOnce(drafts: Drafts): boolean
  isOpen(): boolean
}

/** What a chain is written with, and how often it records the heads of the other chains. */
export interface ChainWriterOptions {
  store: AuditStore
  key: Buffer
  headsEveryMs: number
}

const mostHeads = 64

/** One writer at a time: the next write begins when the one before has ended. */
export function createChainWriter({ store, key, headsEveryMs }: ChainWriterOptions): ChainWriter {
  let head: Head | undefined
  let told = new Map<ChainId, number>()
  let toldAt = 0

  function isHeadsDue(at: Date): boolean {
    // The absolute difference, so that a clock that was set back does not stop these events until it catches up.
    return head === undefined || Math.abs(at.getTime() - toldAt) >= headsEveryMs
  }

  /** The event that records the heads of the other chains, if one is due. */
  async function witness(at: Date): Promise<SpelledDraft[]> {
    if (!isHeadsDue(at)) return []

    const others = (await store.heads(mostHeads)).filter(({ chain }) => chain !== head?.chain)
    const known = head === undefined ? new Map<ChainId, number>() : told
    const heads = others
      .filter(({ chain, seq }) => known.get(chain) !== seq)
      .map(({ chain, seq, mac }) => ({ chain, seq, mac }))
    told = new Map(others.map(({ chain, seq }) => [chain, seq]))
    toldAt = at.getTime()

    if (head === undefined) return [{ at, kind: 'chain-opened' satisfies AuditKind, spelled: canonicalJson({ heads }) }]
    return heads.length === 0 ? [] : [{ at, kind: 'heads' satisfies AuditKind, spelled: canonicalJson({ heads }) }]
  }

  function eventsAfter(before: Head, drafts: readonly SpelledDraft[]): SpelledEvent[] {
    let last = before
    const events: SpelledEvent[] = []
    for (const draft of drafts) {
      const event = chainSpelled(key, last, draft)
      events.push(event)
      last = event
    }
    return events
  }

  return {
    async write(drafts) {
      const first = await witness(drafts[0].at)
      const before = head ?? { chain: randomBytes(16).toString('base64url') as ChainId, seq: 0, mac: '' }
      const events = eventsAfter(before, [...first, ...drafts])

      // A write that throws may have been stored or not. No place may be signed twice, so a new chain is opened, and the
      // heads in its first event show how far this one got.
      head = undefined
      await store.append(events.map(readSpelled))
      head = headOf(events.at(-1) as SpelledEvent)
    },
    writeAtOnce(drafts) {
      if (!store.appendsAtOnce || head === undefined || isHeadsDue(drafts[0].at)) return false
      const before = head
      const events = eventsAfter(before, drafts)
      // If it throws, a new chain is opened, as above.
      head = undefined
      const isStored = store.appendAtOnce(events)
      head = isStored ? headOf(events.at(-1) as SpelledEvent) : before
      return isStored
    },
    isOpen: () => head !== undefined,
  }
}

/** The head of a chain, without the other fields of an event or anchor. */
export function headOf({ chain, seq, mac }: Head): Head {
  return { chain, seq, mac }
}

/** Whether a value of unknown origin is the end of a chain. */
export function isHead(value: unknown): value is Head {
  if (!isPlainObject(value)) return false
  const { chain, seq, mac } = value
  return typeof chain === 'string' && typeof mac === 'string' && Number.isSafeInteger(seq) && Number(seq) > 0
}

/** The heads of other chains that an event recorded. */
export function headsIn({ kind, data }: AuditEvent): Head[] {
  if (kind !== 'chain-opened' && kind !== 'heads') return []
  const heads: unknown = data.heads
  return Array.isArray(heads) ? heads.filter(isHead) : []
}
