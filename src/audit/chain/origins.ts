import type { AuditEvent, Head } from '../event.ts'
import type { AuditStore } from '../store.ts'
import { headOf } from './chain.ts'
import { isGenuine } from './mac.ts'
import { readPages } from './pages.ts'

/** Where to search for the neighbours of an event. */
export interface Search {
  readonly store: AuditStore
  readonly key: Buffer
  /** Ends of chains that are known from other sources: anchors, and heads that other chains recorded. */
  readonly heads: readonly Head[]
}

/**
 * Finds where events that are not genuine in their place were originally written, if anywhere. An event and its
 * neighbours name each other by their MACs, so each remaining neighbour gives one place to try.
 */
export async function findOrigins(search: Search, suspects: readonly AuditEvent[]): Promise<Map<AuditEvent, Head>> {
  const origins = new Map<AuditEvent, Head>()
  if (suspects.length === 0) return origins
  const byMac = indexBy(suspects, 'mac')
  const byPrev = indexBy(suspects, 'prev')

  function tryAt(suspect: AuditEvent, { chain }: Head, seq: number): void {
    const origin = { ...suspect, chain, seq }
    if (origins.has(suspect) || !isGenuine(search.key, origin)) return
    origins.set(suspect, headOf(origin))
    hear(origin)
  }

  function hear(witness: Head & { readonly prev?: string }): void {
    for (const suspect of byPrev.get(witness.mac) ?? []) tryAt(suspect, witness, witness.seq + 1)
    for (const suspect of byMac.get(witness.mac) ?? []) tryAt(suspect, witness, witness.seq)
    if (witness.prev === undefined) return
    for (const suspect of byMac.get(witness.prev) ?? []) tryAt(suspect, witness, witness.seq - 1)
  }

  for (const head of search.heads) hear(head)
  for (const { chain } of await search.store.chains()) {
    for await (const page of readPages(search.store, chain)) page.forEach(hear)
  }
  return origins
}

function indexBy(events: readonly AuditEvent[], field: 'mac' | 'prev'): Map<string, AuditEvent[]> {
  const index = new Map<string, AuditEvent[]>()
  for (const event of events) index.set(event[field], [...(index.get(event[field]) ?? []), event])
  return index
}
