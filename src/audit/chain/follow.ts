import type { Anchor, AuditEvent, ChainId, Head } from '../event.ts'
import type { Findings } from '../findings.ts'
import type { AuditStore } from '../store.ts'
import { isGenuine, isGenuineAnchor, isKeptGenuine } from './mac.ts'
import { readPages } from './pages.ts'

/** How far a chain was followed, and what was found on the way. */
export interface Trail {
  readonly chain: ChainId
  /** Its anchor when it was first read, if its oldest events were pruned. */
  readonly anchor?: Anchor
  /** The last genuine event, or where the chain begins. Undefined if its anchor is not genuine. */
  last: Pick<Head, 'seq' | 'mac'> | undefined
  /** Places after `last` whose events are not genuine. */
  loose: number[]
  /** The last place read, genuine or not. */
  read: number
  events: number
}

/** What is needed to follow a chain, and the functions that receive its events. */
export interface Following {
  readonly store: AuditStore
  readonly key: Buffer
  readonly findings: Findings
  /** Called for every event that is genuine and in its place. */
  readonly meet: (event: AuditEvent) => void
  /** Called for every event that was changed, forged or moved. */
  readonly suspect: (event: AuditEvent) => void
}

/** Where following a chain begins: at its anchor, if that is genuine. */
export function trailFrom({ key, findings }: Following, chain: ChainId, anchor: Anchor | undefined): Trail {
  const start = { chain, loose: [], read: 0, events: 0 }
  if (anchor === undefined) return { ...start, last: { seq: 0, mac: '' } }
  if (isGenuineAnchor(key, { ...anchor, chain })) return { ...start, anchor, last: anchor }

  findings.add(chain, anchor.seq, 'changed', 'The anchor that stands for the pruned events was changed or forged.')
  return { ...start, last: undefined }
}

/** Follows a chain to its end, from where the last time ended. It continues after a fault, so each is reported once. */
export async function follow(following: Following, trail: Trail): Promise<void> {
  for await (const page of readPages(following.store, trail.chain, trail.read)) {
    const pruned = onceAsked(() => prunedTo(following, trail.chain))
    for (const event of page) {
      trail.read = event.seq
      trail.events += 1
      if (isGenuine(following.key, event)) await step(following, trail, event, pruned)
      else {
        trail.loose.push(event.seq)
        following.suspect(event)
      }
    }
  }
}

/** Moves one step along a chain, to a genuine event. */
async function step(following: Following, trail: Trail, event: AuditEvent, pruned: () => Promise<number>) {
  const { findings } = following
  const { chain, seq } = event
  if (trail.anchor !== undefined && seq <= trail.anchor.seq) {
    findings.add(chain, seq, 'restored', 'This event was pruned, and is here again.')
    return
  }

  const { last } = trail
  if (last !== undefined && last.seq + 1 < seq) {
    // The chain may have been pruned while it was read. Then a newer anchor explains what is missing.
    for (const [from, to] of gaps(Math.max(last.seq, await pruned()), seq, trail.loose)) {
      const what = from === to ? `Event ${from} is missing.` : `Events ${from} to ${to} are missing.`
      findings.add(chain, from, 'missing', what)
    }
  }
  trail.last = event
  trail.loose = []

  if (last?.seq === seq - 1 && last.mac !== event.prev) {
    findings.add(chain, seq, 'changed', 'This event does not continue the one before it.')
  } else if (!isKeptGenuine(event)) {
    findings.add(chain, seq, 'changed', 'What is kept with this event is not what was written.')
  }
  following.meet(event)
}

/** The gaps strictly between two places. `taken` is in order. */
export function gaps(after: number, before: number, taken: readonly number[]): [from: number, to: number][] {
  const found: [number, number][] = []
  let from = after + 1
  for (const seq of [...taken.filter((seq) => seq < before), before]) {
    if (seq > from) found.push([from, seq - 1])
    from = Math.max(from, seq + 1)
  }
  return found
}

/** How far the chain is pruned now, according to a genuine anchor. */
export async function prunedTo({ store, key }: Pick<Following, 'store' | 'key'>, chain: ChainId): Promise<number> {
  const anchor = (await store.chains()).find((kept) => kept.chain === chain)?.anchor
  return anchor !== undefined && isGenuineAnchor(key, { ...anchor, chain }) ? anchor.seq : 0
}

function onceAsked(ask: () => Promise<number>): () => Promise<number> {
  let answer: Promise<number> | undefined
  return () => {
    answer ??= ask()
    return answer
  }
}
