import { headOf, headsIn } from './chain/chain.ts'
import { judgeEnds } from './chain/ends.ts'
import { follow, type Trail, trailFrom } from './chain/follow.ts'
import { findOrigins } from './chain/origins.ts'
import type { AuditEvent, ChainId, Head, Pseudonym } from './event.ts'
import { createFindings, type Finding, type Findings } from './findings.ts'
import type { AuditStore } from './store.ts'

/** What to verify. `heads` are ends of chains from elsewhere, besides those that the chains record of each other. */
export interface Verification {
  readonly store: AuditStore
  readonly key: Buffer
  readonly heads?: readonly Head[]
  /** Called with how many events were followed so far, after each. */
  readonly progress?: (events: number) => void
}

/** What a verification found. `found` counts everything, `findings` lists the first thousand. */
export interface AuditReport {
  readonly chains: number
  readonly events: number
  readonly found: number
  readonly findings: readonly Finding[]
  /** Where each chain ends now. */
  readonly heads: readonly Head[]
}

/** What one pass over all chains collects, to be judged when all are read. */
interface Learned {
  /** The furthest head of each chain that other chains recorded. */
  readonly told: Map<ChainId, Head>
  readonly forgotten: Set<string>
  /** Events whose `kept` is gone. */
  readonly erased: Map<Pseudonym, Head[]>
  /** Events that are not genuine in their place. */
  readonly suspects: AuditEvent[]
}

interface Round extends Verification {
  readonly findings: Findings
  readonly trails: Map<ChainId, Trail>
}

const mostSuspects = 1_000
const notGenuine = 'This event was changed since it was written, or forged.'

/** Reads the whole audit and finds what was changed, moved or removed, and where. Events may be written meanwhile. */
export async function verifyAudit({ store, key, heads = [], progress }: Verification): Promise<AuditReport> {
  const round: Round = {
    store,
    key,
    heads,
    findings: createFindings(),
    trails: new Map(),
    ...(progress && { progress }),
  }
  const { findings, trails } = round
  const first = await followAll(round)
  // Events written during the first pass may record a head, or explain why something was erased.
  const second = await followAll(round)

  const told = [...first.told.values(), ...heads]
  await judgeSuspects(round, told, [...first.suspects, ...second.suspects])
  for (const [who, places] of first.erased) {
    if (first.forgotten.has(who) || second.forgotten.has(who)) continue
    for (const place of places) tellErased(findings, place)
  }
  await judgeEnds({ store, key, findings }, trails, told)

  const rank = new Map([...trails.keys()].map((chain, index) => [chain, index]))
  const rankOf = ({ chain }: Finding) => rank.get(chain) ?? rank.size
  return {
    chains: trails.size,
    events: [...trails.values()].reduce((sum, { events }) => sum + events, 0),
    found: findings.count,
    findings: findings.listed.toSorted((a, b) => rankOf(a) - rankOf(b) || a.seq - b.seq),
    heads: [...trails.values()].flatMap(({ chain, last }) => (last?.seq ? [headOf({ ...last, chain })] : [])),
  }
}

/** Follows every chain from where the last pass ended, and new chains from their beginning. */
async function followAll({ store, key, findings, trails, progress }: Round): Promise<Learned> {
  const learned: Learned = { told: new Map(), forgotten: new Set(), erased: new Map(), suspects: [] }
  let met = [...trails.values()].reduce((sum, { events }) => sum + events, 0)
  const following = {
    store,
    key,
    findings,
    meet(event: AuditEvent) {
      met += 1
      progress?.(met)
      learn(learned, findings, event)
    },
    suspect(event: AuditEvent) {
      if (learned.suspects.length < mostSuspects) learned.suspects.push(event)
      else findings.add(event.chain, event.seq, 'changed', notGenuine)
    },
  }
  for (const { chain, anchor } of await store.chains()) {
    const trail = trails.get(chain) ?? trailFrom(following, chain, anchor)
    trails.set(chain, trail)
    await follow(following, trail)
  }
  return learned
}

function learn({ told, forgotten, erased }: Learned, findings: Findings, event: AuditEvent): void {
  for (const head of headsIn(event)) {
    if (head.seq > (told.get(head.chain)?.seq ?? 0)) told.set(head.chain, head)
  }
  if (event.kind === 'forgotten' && event.about !== undefined) forgotten.add(event.about)

  const isErased = event.keptDigest !== undefined && event.kept === undefined
  if (isErased && event.who === undefined) tellErased(findings, event)
  if (isErased && event.who !== undefined && !forgotten.has(event.who)) {
    const places = erased.get(event.who) ?? []
    places.push(headOf(event))
    erased.set(event.who, places)
  }
}

function tellErased(findings: Findings, { chain, seq }: Head): void {
  findings.add(chain, seq, 'erased', 'What was kept with this event is gone, though nobody was forgotten.')
}

async function judgeSuspects({ store, key, findings, trails }: Round, told: Head[], suspects: AuditEvent[]) {
  const anchors = [...trails.values()].flatMap(({ anchor }) => anchor ?? [])
  const origins = await findOrigins({ store, key, heads: [...anchors, ...told] }, suspects)
  for (const event of suspects) {
    const origin = origins.get(event)
    if (origin === undefined) findings.add(event.chain, event.seq, 'changed', notGenuine)
    else
      findings.add(event.chain, event.seq, 'moved', `This was written as event ${origin.seq} of chain ${origin.chain}.`)
  }
}
