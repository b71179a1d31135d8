import { anchorAt, isGenuine, isGenuineAnchor } from './chain/mac.ts'
import { readPages } from './chain/pages.ts'
import type { Anchor, AuditEvent, ChainId } from './event.ts'
import type { AuditLog } from './log.ts'
import type { AuditStore } from './store.ts'

/** What to prune: everything before `moment`. */
export interface Pruning {
  readonly store: AuditStore
  readonly key: Buffer
  readonly log: AuditLog
  readonly moment: Date
}

/** The oldest events of a chain that may be deleted. */
interface Front {
  readonly anchor: Anchor
  /** Pseudonyms whose `forgotten` event is among them. */
  readonly forgotten: readonly string[]
}

// Keeps the `pruned` event well below the largest size of an entry.
const chainsPerEvent = 500

/**
 * Deletes events from before the moment, and leaves an anchor where each chain now begins. Returns how many. Only
 * genuine events are deleted, so that changing the date of an event does not get the evidence pruned.
 */
export async function pruneAudit({ store, key, log, moment }: Pruning): Promise<number> {
  const fronts: Front[] = []
  for (const { chain, anchor } of await store.chains()) {
    const last = await store.lastBefore(chain, moment)
    const front = last && (await genuineFront({ store, key }, chain, anchor, last.seq))
    if (front !== undefined) fronts.push(front)
  }

  // Recorded before anything is deleted. `forgotten` events are written again, because what they erased may be in
  // another chain and outlive them.
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
