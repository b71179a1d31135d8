import type { Anchor, AuditEvent, ChainId, Head } from '../event.ts'
import type { Findings } from '../findings.ts'
import type { AuditStore } from '../store.ts'
import { isGenuine, isGenuineAnchor, isKeptGenuine } from './mac.ts'
import { readPages } from './pages.ts'

/** How far a chain was followed, and what is known of the way. */
export interface Trail {
  readonly chain: ChainId
  /** What it began with when it was first looked at, if its front was pruned. */
  readonly anchor?: Anchor
  /** The last genuine event, or where the chain begins. Undefined: its anchor is not genuine, so nobody knows where. */
  last: Pick<Head, 'seq' | 'mac'> | undefined
  /** Places after `last` where something stands that is not genuine. */
  loose: number[]
  /** The last place read, genuine or not. */
  read: number
  events: number
}

/** What a follower needs, and whom it tells what it meets. */
export interface Following {
  readonly store: AuditStore
  readonly key: Buffer
  readonly findings: Findings
  /** Told every event that is genuine and in its place. */
  readonly meet: (event: AuditEvent) => void
  /** Told every event that was changed, forged or moved. */
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

/** Follows a chain to its end, from where it was left. After a fault it goes on, so that one fault is found once. */
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

/** Goes one step along a chain, onto an event that is genuine. */
async function step(following: Following, trail: Trail, event: AuditEvent, pruned: () => Promise<number>) {
  const { findings } = following
  const { chain, seq } = event
  if (trail.anchor !== undefined && seq <= trail.anchor.seq) {
    findings.add(chain, seq, 'restored', 'This event was pruned, and is here again.')
    return
  }

  const { last } = trail
  if (last !== undefined && last.seq + 1 < seq) {
    // Someone may have pruned the chain while it was read: then a newer anchor stands for what is not there.
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

/** The stretches strictly between two places where nothing stands; `taken` is in order. */
export function gaps(after: number, before: number, taken: readonly number[]): [from: number, to: number][] {
  const found: [number, number][] = []
  let from = after + 1
  for (const seq of [...taken.filter((seq) => seq < before), before]) {
    if (seq > from) found.push([from, seq - 1])
    from = Math.max(from, seq + 1)
  }
  return found
}

/** How far the chain is pruned by now, by a genuine anchor. */
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
