import { giveWay } from '../base/give-way.ts'
import { anchorAt, isGenuine, isGenuineAnchor } from './chain/mac.ts'
import { readPages } from './chain/pages.ts'
import type { Anchor, AuditEvent } from './event.ts'
import type { AuditLog } from './log.ts'
import type { AuditStore, ChainStart } from './store.ts'

/** What to prune: everything before `moment`. */
export interface Pruning {
  readonly store: AuditStore
  readonly key: Buffer
  readonly log: AuditLog
  readonly moment: Date
}

/** The oldest events of a chain that may be deleted. */
interface Front {
  /** One for each slice that is deleted at once, in order. Empty if nothing may be deleted. */
  readonly anchors: readonly Anchor[]
  /** Pseudonyms whose `forgotten` event is among them. */
  readonly forgotten: readonly string[]
}

// Keeps the `pruned` event well below the largest size of an entry.
const chainsPerEvent = 500
/** So many events are deleted at once: while a store deletes, some stores do nothing else. */
const sliceSize = 1_000

/**
 * Deletes events from before the moment, and leaves an anchor where each chain now begins. Returns how many. Only
 * genuine events are deleted, so that changing the date of an event does not get the evidence pruned.
 */
export async function pruneAudit({ store, key, log, moment }: Pruning): Promise<number> {
  const fronts: Front[] = []
  for (const chain of await store.chains()) fronts.push(await findFront({ store, key, moment }, chain))

  // Recorded before anything is deleted. `forgotten` events are written again, because what they erased may be in
  // another chain and outlive them.
  const forgotten = new Set(fronts.flatMap((front) => front.forgotten))
  await Promise.all([...forgotten].map((about) => log.record({ kind: 'forgotten', about })))
  const ends = fronts.flatMap(({ anchors }) => anchors.at(-1) ?? [])
  for (let from = 0; from < ends.length; from += chainsPerEvent) {
    const through = ends.slice(from, from + chainsPerEvent).map(({ chain, seq }) => [chain, seq])
    await log.record({ kind: 'pruned', data: { through: Object.fromEntries(through) } })
  }

  let deleted = 0
  for (const anchor of fronts.flatMap(({ anchors }) => anchors)) {
    deleted += await store.prune(anchor)
    await giveWay()
  }
  return deleted
}

/** The events from the beginning of a chain to the last one before the moment, or to the first fault. */
async function findFront(
  { store, key, moment }: Pick<Pruning, 'store' | 'key' | 'moment'>,
  { chain, anchor }: ChainStart,
): Promise<Front> {
  const start = { seq: anchor?.seq ?? 0, mac: anchor?.mac ?? '' }
  const forgotten: string[] = []
  const ends: AuditEvent[] = []
  const front = () => ({ anchors: ends.map((event) => anchorAt(key, event)), forgotten })
  if (anchor !== undefined && !isGenuineAnchor(key, { ...anchor, chain })) return front()
  for await (const page of readPages(store, chain, start.seq)) {
    for (const event of page) {
      const before = ends.at(-1) ?? start
      if (event.at >= moment || event.prev !== before.mac || !isGenuine(key, event)) return front()
      if (event.kind === 'forgotten' && event.about !== undefined) forgotten.push(event.about)
      ends[Math.floor((event.seq - start.seq - 1) / sliceSize)] = event
    }
  }
  return front()
}
