import { giveWay } from '../../base/give-way.ts'
import type { AuditEvent, ChainId } from '../event.ts'
import type { AuditStore } from '../store.ts'

const pageSize = 500

/** The events of a chain after a place, in order, a page at a time, including those that are written meanwhile. */
export async function* readPages(store: AuditStore, chain: ChainId, afterSeq = 0): AsyncGenerator<AuditEvent[]> {
  let place = afterSeq
  for (;;) {
    const page = await store.read(chain, place, pageSize)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    place = last.seq
    // A store may answer without waiting for anything, and a chain may have millions of events.
    await giveWay()
  }
}
