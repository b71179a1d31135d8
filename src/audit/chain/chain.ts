import { randomBytes } from 'node:crypto'
import { isPlainObject } from '../../base/json.ts'
import type { AuditEvent, ChainId, Head } from '../event.ts'
import type { AuditKind } from '../kinds.ts'
import type { AuditStore } from '../store.ts'
import { chainEvent, type EventDraft } from './mac.ts'

/** A draft, and the canonical spelling of its data. */
export interface SpelledDraft {
  readonly draft: EventDraft
  readonly spelled?: string
}

/** The chain that this process writes: opened by the first event, abandoned when a write fails. */
export interface ChainWriter {
  /** Resolves when all are kept, in order. When it throws, nobody knows whether they are. */
  write(drafts: readonly [SpelledDraft, ...SpelledDraft[]]): Promise<void>
  isOpen(): boolean
}

/** What a chain is written with, and how often it tells how far the others are. */
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

  /** The event that tells how far the other chains are, when it is time for one. */
  async function witness(at: Date): Promise<SpelledDraft[]> {
    // Either way: a clock that was set back must not silence the witness until it catches up.
    if (head !== undefined && Math.abs(at.getTime() - toldAt) < headsEveryMs) return []

    const others = (await store.heads(mostHeads)).filter(({ chain }) => chain !== head?.chain)
    const known = head === undefined ? new Map<ChainId, number>() : told
    const heads = others
      .filter(({ chain, seq }) => known.get(chain) !== seq)
      .map(({ chain, seq, mac }) => ({ chain, seq, mac }))
    told = new Map(others.map(({ chain, seq }) => [chain, seq]))
    toldAt = at.getTime()

    if (head === undefined) return [{ draft: { at, kind: 'chain-opened' satisfies AuditKind, data: { heads } } }]
    return heads.length === 0 ? [] : [{ draft: { at, kind: 'heads' satisfies AuditKind, data: { heads } } }]
  }

  return {
    async write(drafts) {
      const first = await witness(drafts[0].draft.at)
      let last = head ?? { chain: randomBytes(16).toString('base64url') as ChainId, seq: 0, mac: '' }
      const events = [...first, ...drafts].map(({ draft, spelled }) => {
        const event = chainEvent(key, last, draft, spelled)
        last = event
        return event
      })

      // A write that throws may have been kept or not. Either way no place is ever signed twice: a new chain is opened,
      // and the heads it begins with show how far this one got.
      head = undefined
      await store.append(events)
      head = headOf(last)
    },
    isOpen: () => head !== undefined,
  }
}

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
