import { createHash } from 'node:crypto'
import { readPages } from '../../../src/audit/chain/pages.ts'
import type { Anchor, AuditEvent, ChainId } from '../../../src/audit/event.ts'
import { openAuditLog } from '../../../src/audit/log.ts'
import type { AuditStore } from '../../../src/audit/store.ts'
import { verifyAudit } from '../../../src/audit/verify.ts'
import type { ParticipantId } from '../../../src/participant/participant.ts'
import { memoryAudit } from '../../../src/stores/memory/audit.ts'

export const key = createHash('sha256').update('the audit key').digest()
export const otherKey = createHash('sha256').update('another key').digest()

export const alice = 'alice@https://login.example.com' as ParticipantId
export const bob = 'bob@https://login.example.com' as ParticipantId

export const minutes = (count: number) => count * 60_000
export const start = new Date('2026-03-01T12:00:00.000Z')
export const later = (ms: number) => new Date(start.getTime() + ms)

/** A clock that stands still until it is set. */
export function handClock() {
  const clock = { at: start, now: () => clock.at }
  return clock
}

/** A log on a store, as one process has it. */
export const aLog = (store: AuditStore, over: Partial<Parameters<typeof openAuditLog>[0]> = {}) =>
  openAuditLog({ store, key, clock: handClock(), ...over })

/** Makes every write to an audit one that must be waited for, as it is with a database on another machine. */
export function appendsLater(audit: AuditStore): AuditStore {
  return Object.assign(audit, { appendsAtOnce: false, appendAtOnce: () => false })
}

export const slowAudit = (): AuditStore => appendsLater(memoryAudit())

/** Everything that can be tampered with. */
export interface Rows {
  readonly events: readonly AuditEvent[]
  readonly anchors: readonly Anchor[]
}

export async function rowsOf(store: AuditStore): Promise<Rows> {
  const chains = await store.chains()
  const events = await Promise.all(chains.map(({ chain }) => eventsOf(store, chain)))
  return { events: events.flat(), anchors: chains.flatMap(({ anchor }) => anchor ?? []) }
}

export async function eventsOf(store: AuditStore, chain: ChainId): Promise<AuditEvent[]> {
  const pages: AuditEvent[][] = []
  for await (const page of readPages(store, chain)) pages.push(page)
  return pages.flat()
}

export async function storeWith({ events, anchors }: Rows): Promise<AuditStore> {
  const store = memoryAudit()
  for (const anchor of anchors) await store.prune(anchor)
  await store.append(events)
  return store
}

/** What someone who can write to the database, but has no key, leaves behind. */
export async function tampered(store: AuditStore, tamper: (rows: Rows) => Partial<Rows>): Promise<AuditStore> {
  const rows = await rowsOf(store)
  return storeWith({ ...rows, ...tamper(rows) })
}

/** What verify finds, without the prose. */
export async function findingsIn(store: AuditStore, heads: Parameters<typeof verifyAudit>[0]['heads'] = []) {
  const { findings } = await verifyAudit({ store, key, heads })
  return findings.map(({ chain, seq, problem }) => ({ chain, seq, problem }))
}

export const isAt = (chain: ChainId | undefined, seq: number) => (event: AuditEvent) =>
  event.chain === chain && event.seq === seq

/** Two processes that wrote eight events each, taking turns, and a third that opened later and so tells their ends. */
export async function threeChains() {
  const store = memoryAudit()
  const [first, second] = [aLog(store), aLog(store)]
  for (let turn = 1; turn <= 7; turn += 1) {
    await first.record({
      kind: 'custom:called',
      who: alice,
      about: `a${turn}`,
      data: { turn },
      keep: { path: `/a/${turn}` },
    })
    await second.record({
      kind: 'custom:called',
      who: bob,
      about: `b${turn}`,
      data: { turn },
      keep: { path: `/b/${turn}` },
    })
  }
  const third = aLog(store)
  await third.record({ kind: 'custom:noticed' })
  const [a, b, c] = (await store.chains()).map(({ chain }) => chain) as [ChainId, ChainId, ChainId]
  return { store, a, b, c, logs: [first, second, third] as const }
}
