import { periodMs, periodOf, type RollupPeriod, type RollupSum } from './rollup.ts'
import type { RollupSpan, RollupStore } from './store.ts'
import { waitQuantile } from './waits.ts'

/** How far back numbers are shown: 24 hours by the hour, or 7 or 30 days by the day. */
export type OverviewRange = 'day' | 'week' | 'month'

/** Counts by outcome. */
export type OutcomeCounts = Readonly<Record<string, number>>

/** What happened in a range of time. */
export interface Overview {
  readonly range: OverviewRange
  readonly period: RollupPeriod
  /** Every hour or day of the range, oldest first, with its calls. */
  readonly steps: readonly { readonly from: Date; readonly calls: OutcomeCounts }[]
  readonly calls: OutcomeCounts
  readonly questions: OutcomeCounts
  /** How long people took who answered, in milliseconds. Undefined: nobody answered. */
  readonly waits: { readonly median: number; readonly most: number } | undefined
  /** The most called first. */
  readonly tools: readonly { readonly server: string; readonly name: string; readonly calls: OutcomeCounts }[]
  /** The tools that people were asked about most, with how their questions ended. */
  readonly asked: readonly { readonly server: string; readonly name: string; readonly questions: OutcomeCounts }[]
  /** Why questions could not be put to clients, the most frequent reason first. */
  readonly fallbacks: readonly { readonly reason: string; readonly count: number }[]
}

const ranges: Readonly<Record<OverviewRange, { readonly period: RollupPeriod; readonly steps: number }>> = {
  day: { period: 'hour', steps: 24 },
  week: { period: 'day', steps: 7 },
  month: { period: 'day', steps: 30 },
}

const mostTools = 10
/** Rows that are read of one kind. Names are limited when they are counted, so that this is more than there are. */
const mostRead = 50_000

/** Reads what was counted. Counts are written every second, so that the last second may be missing. */
export async function readOverview(
  store: Pick<RollupStore, 'list' | 'sum'>,
  range: OverviewRange,
  now: Date,
): Promise<Overview> {
  const { period, steps } = ranges[range]
  const last = periodOf(period, now).getTime()
  const starts = Array.from({ length: steps }, (_, step) => new Date(last - (steps - 1 - step) * periodMs[period]))
  const span = spanOf(period, starts[0] as Date, now)
  const [calls, tools, asks, asked, waits, fallbacks] = await Promise.all([
    store.list('calls', span, mostRead),
    store.sum('tools', span, mostRead),
    store.sum('asks', span, mostRead),
    store.sum('asked', span, mostRead),
    store.sum('waits', span, mostRead),
    store.sum('fallbacks', span, mostRead),
  ])
  const byStep = grouped(calls, ({ from }) => from.getTime())
  return {
    range,
    period,
    steps: starts.map((from) => ({ from, calls: byOutcome(byStep.get(from.getTime()) ?? []) })),
    calls: byOutcome(calls),
    questions: byOutcome(asks),
    waits: waitsIn(waits),
    tools: byName(tools, sumOf).map(({ counts, ...tool }) => ({ ...tool, calls: counts })),
    asked: byName(asked, (all) => sumOf(all.filter(({ outcome }) => outcome === 'asked'))).map(
      ({ counts, ...tool }) => ({ ...tool, questions: counts }),
    ),
    fallbacks: [...grouped(fallbacks, ({ name }) => name)]
      .map(([reason, all]) => ({ reason, count: sumOf(all) }))
      .sort((one, other) => other.count - one.count),
  }
}

/** How often each rule ran, refused or asked about a call in the last seven days, by the digest of the rule. */
export async function readRuleHits(
  store: Pick<RollupStore, 'sum'>,
  now: Date,
): Promise<ReadonlyMap<string, OutcomeCounts>> {
  const from = new Date(periodOf('day', now).getTime() - 6 * periodMs.day)
  const hits = await store.sum('rules', spanOf('day', from, now), mostRead)
  return new Map([...grouped(hits, ({ name }) => name)].map(([digest, all]) => [digest, byOutcome(all)]))
}

/** Clocks of instances differ a little, and what is counted a moment ahead belongs to now. */
function spanOf(period: RollupPeriod, from: Date, now: Date): RollupSpan {
  return { period, from, until: new Date(periodOf(period, now).getTime() + 2 * periodMs[period]) }
}

function waitsIn(waits: readonly RollupSum[]): Overview['waits'] {
  const [median, most] = [waitQuantile(waits, 0.5), waitQuantile(waits, 0.95)]
  return median === undefined || most === undefined ? undefined : { median, most }
}

/** The tools that rank first, with their counts. */
function byName(sums: readonly RollupSum[], rank: (all: readonly RollupSum[]) => number) {
  return [...grouped(sums, ({ server, name }) => `${server}\n${name}`).values()]
    .map((all) => ({ all, place: rank(all) }))
    .sort((one, other) => other.place - one.place)
    .slice(0, mostTools)
    .map(({ all }) => {
      const { server, name } = all[0] as RollupSum
      return { server, name, counts: byOutcome(all) }
    })
}

function byOutcome(counts: readonly Pick<RollupSum, 'outcome' | 'count'>[]): OutcomeCounts {
  const sums: Record<string, number> = {}
  for (const { outcome, count } of counts) sums[outcome] = (sums[outcome] ?? 0) + count
  return sums
}

function sumOf(counts: readonly Pick<RollupSum, 'count'>[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}

function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}
