import type { ChainId, Head } from '../event.ts'
import type { Findings } from '../findings.ts'
import type { AuditStore } from '../store.ts'
import { gaps, prunedTo, type Trail } from './follow.ts'
import { isGenuine } from './mac.ts'

/** What is needed to check ends, and the list that receives the findings. */
export interface Judging {
  readonly store: AuditStore
  readonly key: Buffer
  readonly findings: Findings
}

/** Compares chains with their known ends: a chain that once reached an end must still reach it, with the same event. */
export async function judgeEnds(judging: Judging, trails: ReadonlyMap<ChainId, Trail>, heads: readonly Head[]) {
  for (const [chain, ends] of byChain(heads)) {
    const trail = trails.get(chain)
    if (trail === undefined) {
      judging.findings.add(chain, 1, 'missing-chain', 'Other chains tell of this chain, and nothing is left of it.')
      continue
    }
    await judgeLength(judging, trail, Math.max(...ends.map(({ seq }) => seq)))
    for (const end of ends) await judgeEnd(judging, trail, end)
  }
}

async function judgeLength(judging: Judging, { chain, last, loose }: Trail, furthest: number): Promise<void> {
  if (last === undefined || last.seq >= furthest) return
  const [cut] = gaps(Math.max(last.seq, await prunedTo(judging, chain)), furthest + 1, loose)
  if (cut === undefined) return
  judging.findings.add(chain, cut[0], 'cut', `The end was cut off: the chain went on to event ${furthest} at least.`)
}

async function judgeEnd(judging: Judging, trail: Trail, { chain, seq, mac }: Head): Promise<void> {
  const genuine = await genuineMacAt(judging, trail, seq)
  if (genuine === undefined || genuine === mac) return
  judging.findings.add(chain, seq, 'cut', 'The chain was cut off before this event, and went on with another one.')
}

/** Undefined if no genuine event is there. If one should be, `follow` has already reported it. */
async function genuineMacAt(
  { store, key }: Judging,
  { chain, anchor }: Trail,
  seq: number,
): Promise<string | undefined> {
  if (anchor?.seq === seq) return anchor.mac
  const [event] = await store.read(chain, seq - 1, 1)
  return event?.seq === seq && isGenuine(key, event) ? event.mac : undefined
}

/** Each end once, even if several chains recorded it. */
function byChain(heads: readonly Head[]): Map<ChainId, Head[]> {
  const grouped = new Map<ChainId, Head[]>()
  for (const head of heads) {
    const ends = grouped.get(head.chain) ?? []
    if (!ends.some(({ seq, mac }) => seq === head.seq && mac === head.mac)) ends.push(head)
    grouped.set(head.chain, ends)
  }
  return grouped
}
