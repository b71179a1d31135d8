import { anchorAt, isGenuine, isGenuineAnchor } from './chain/mac.ts'
import { readPages } from './chain/pages.ts'
import type { Anchor, AuditEvent, ChainId } from './event.ts'
import type { AuditLog } from './log.ts'
import type { AuditStore } from './store.ts'

/** Where to prune, and which moment begins what is still kept. */
export interface Pruning {
  readonly store: AuditStore
  readonly key: Buffer
  readonly log: AuditLog
  readonly moment: Date
}

/** What may go from the front of a chain. */
interface Front {
  readonly anchor: Anchor
  /** Pseudonyms whose forgetting stands in what goes. */
  readonly forgotten: readonly string[]
}

// So that the event about them stays well below the largest entry.
const chainsPerEvent = 500

/**
 * Deletes events from before the moment, and leaves an anchor where each chain now begins. Returns how many. Only what
 * verifies is deleted: whoever changed the date of an event cannot have the evidence pruned away.
 */
export async function pruneAudit({ store, key, log, moment }: Pruning): Promise<number> {
  const fronts: Front[] = []
  for (const { chain, anchor } of await store.chains()) {
    const last = await store.lastBefore(chain, moment)
    const front = last && (await genuineFront({ store, key }, chain, anchor, last.seq))
    if (front !== undefined) fronts.push(front)
  }

  // Said before it is done. And a forgetting is said again: what it erased may stand, and outlive it, in another chain.
  const forgotten = new Set(fronts.flatMap((front) => front.forgotten))
  await Promise.all([...forgotten].map((about) => log.record({ kind: 'forgotten', about })))
  for (let from = 0; from < fronts.length; from += chainsPerEvent) {
    const through = fronts.slice(from, from + chainsPerEvent).map(({ anchor }) => [anchor.chain, anchor.seq])
    await log.record({ kind: 'pruned', data: { through: Object.fromEntries(through) } })
  }

  let deleted = 0
  for (const { anchor } of fronts) deleted += await store.prune(anchor)
  return deleted
}

/** The events from the beginning of a chain to `through`, or to the first fault. */
async function genuineFront(
  { store, key }: Pick<Pruning, 'store' | 'key'>,
  chain: ChainId,
  anchor: Anchor | undefined,
  through: number,
): Promise<Front | undefined> {
  if (anchor !== undefined && !isGenuineAnchor(key, { ...anchor, chain })) return undefined
  const start = { seq: anchor?.seq ?? 0, mac: anchor?.mac ?? '' }
  const forgotten: string[] = []
  let last: AuditEvent | undefined
  for await (const page of readPages(store, chain, start.seq)) {
    for (const event of page) {
      const before = last ?? start
      if (event.seq > through || event.prev !== before.mac || !isGenuine(key, event)) {
        return last && { anchor: anchorAt(key, last), forgotten }
      }
      if (event.kind === 'forgotten' && event.about !== undefined) forgotten.push(event.about)
      last = event
    }
  }
  return last && { anchor: anchorAt(key, last), forgotten }
}
