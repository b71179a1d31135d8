import { approvalIn } from '../approval/question/subject.ts'
import type { AuditEntry } from '../audit/entry.ts'
import type { Clock } from '../base/clock.ts'
import type { Events } from '../base/events.ts'
import { atMostEvery, every } from '../base/repeat.ts'
import { endByAction } from '../elicitation/answering/may-answer.ts'
import type { ElicitationNews } from '../elicitation/desk.ts'
import type { Elicitation } from '../elicitation/elicitation.ts'
import { periodMs, periodOf, type Rollup, type RollupKind, type RollupPeriod, waitBounds } from './rollup.ts'
import type { RollupStore } from './store.ts'

/** How much is counted by name. */
export interface RollupLimits {
  /** How many different tools, and as many rules, and so on, one process counts by name in one hour. All others are counted together. */
  readonly countedNames: number
}

export const defaultRollupLimits: RollupLimits = { countedNames: 1_000 }

/** Counts in memory what happens, and adds it to the store every second. A process that is killed loses the last second. */
export interface Counting {
  /** To be called with each audit entry when it is stored. */
  see(entry: AuditEntry): void
  /** Adds what was counted to the store. */
  write(): Promise<void>
  /** Writes once more, and then no longer. */
  close(): Promise<void>
}

interface CountingParts {
  readonly store: RollupStore
  readonly events: Events<ElicitationNews>
  readonly clock: Clock
  readonly limits: RollupLimits
  readonly writeMs?: number
}

/** Counts of one kind by outcome, of one server and name. */
type Outcomes = Map<string, number>

/** Everything counted since the last write, as of one moment. */
interface Batch {
  readonly at: Date
  readonly kinds: Map<RollupKind, Map<string, Map<string, Outcomes>>>
}

const hourly: readonly RollupPeriod[] = ['hour', 'day']
const failedEveryMs = 60_000

export function startCounting({ store, events, clock, limits, writeMs = 1_000 }: CountingParts): Counting {
  let batch: Batch | undefined
  /** What a write that failed had, for the next one. */
  let unwritten = new Map<string, Rollup>()
  let known = { hour: 0, names: new Map<RollupKind, Set<string>>() }
  const isTimeToTell = atMostEvery(failedEveryMs, clock)

  function count(kind: RollupKind, server: string, name: string, outcome: string): void {
    batch ??= { at: clock.now(), kinds: new Map() }
    const outcomes = batch.kinds.get(kind)?.get(server)?.get(name) ?? outcomesOf(batch, kind, server, name)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }

  /** For a name that this batch has not counted yet. */
  function outcomesOf({ at, kinds }: Batch, kind: RollupKind, server: string, name: string): Outcomes {
    const isNamed = isCountedByName(at, kind, server, name)
    const servers = within(kinds, kind, () => new Map<string, Map<string, Outcomes>>())
    const names = within(servers, isNamed ? server : '', () => new Map<string, Outcomes>())
    return within(names, isNamed ? name : '', () => new Map<string, number>())
  }

  /** Clients and servers choose some names, so that only so many of each kind are told apart. */
  function isCountedByName(at: Date, kind: RollupKind, server: string, name: string): boolean {
    const hour = Math.floor(at.getTime() / periodMs.hour)
    if (known.hour !== hour) known = { hour, names: new Map() }
    const names = within(known.names, kind, () => new Set<string>())
    const key = `${server}\n${name}`
    if (names.has(key)) return true
    if (names.size >= limits.countedNames || !isPlain(server) || !isPlain(name)) return false
    names.add(key)
    return true
  }

  function see({ kind, data = {} }: AuditEntry): void {
    const { server, tool, ruleDigest, outcome, answer } = data
    switch (kind) {
      case 'call-started':
        if (typeof ruleDigest === 'string') count('rules', '', ruleDigest, 'ran')
        return
      case 'call-finished':
        count('tools', String(server), String(tool), outcome === 'done' ? 'done' : 'failed')
        return
      case 'call-refused':
        // It had started: how it ended is recorded too.
        if (data.started === true) return
        if (typeof ruleDigest === 'string') count('rules', '', ruleDigest, 'refused')
        count('tools', String(server), String(tool), 'refused')
        return
      case 'hook-answered':
        // A refused one was seen when it was refused; what became of the others only the coding agent knows.
        if (answer !== 'deny') count('tools', String(server), String(tool), 'left-to-client')
    }
  }

  function hear(news: ElicitationNews): void {
    switch (news.kind) {
      case 'asked': {
        const rule = approvalIn(news.elicitation)?.decision.ruleDigest
        if (rule !== undefined) count('rules', '', rule, 'asked')
        countAsk(news.elicitation, 'asked')
        return
      }
      case 'settled': {
        const { state, createdAt } = news.elicitation
        countAsk(news.elicitation, news.outcome)
        if (state.kind === 'answered') waited(state.at.getTime() - createdAt.getTime())
        return
      }
      case 'carried-asked':
        count('asks', news.server, news.purpose, 'asked')
        return
      case 'carried-answered':
        count('asks', news.server, news.purpose, endByAction(news.action))
        if (news.waitedMs !== undefined) waited(news.waitedMs)
        return
      case 'fallback':
        count('fallbacks', news.server, news.reason, 'fallback')
    }
  }

  function countAsk(elicitation: Elicitation, outcome: string): void {
    const { origin, purpose } = elicitation
    const tool = approvalIn(elicitation)?.call.tool
    count('asks', origin.server, purpose, outcome)
    if (tool !== undefined) count('asked', origin.server, tool, outcome)
  }

  function waited(ms: number): void {
    const bound = waitBounds.find((seconds) => ms <= seconds * 1_000)
    count('waits', '', bound === undefined ? 'more' : String(bound), 'answered')
  }

  const stopListening = events.listen(hear)

  async function write(): Promise<void> {
    if (batch !== undefined) {
      for (const rollup of rollupsOf(batch)) addTo(unwritten, rollup)
      batch = undefined
    }
    if (unwritten.size === 0) return
    const writing = unwritten
    unwritten = new Map()
    try {
      await store.add([...writing.values()])
    } catch (error) {
      // What the store took before it failed is counted twice then.
      for (const rollup of unwritten.values()) addTo(writing, rollup)
      unwritten = writing
      throw error
    }
  }

  const stop = every(writeMs, write, (error) => {
    if (isTimeToTell()) events.tell({ kind: 'counts-unwritten', error })
  })

  return {
    see,
    write,
    async close() {
      stopListening()
      await stop()
      await write().catch((error) => events.tell({ kind: 'counts-unwritten', error }))
    },
  }
}

/** What a batch adds to each hour and day, also by server alone. */
function rollupsOf({ at, kinds }: Batch): Rollup[] {
  return [...kinds].flatMap(([kind, servers]) =>
    [...servers].flatMap(([server, names]) =>
      [...names].flatMap(([name, outcomes]) =>
        [...outcomes].flatMap(([outcome, count]) =>
          hourly.flatMap((period) => {
            const rollup = { period, kind, from: periodOf(period, at), server, name, outcome, count }
            return kind === 'tools' ? [rollup, { ...rollup, kind: 'calls' as const, name: '' }] : [rollup]
          }),
        ),
      ),
    ),
  )
}

function addTo(sums: Map<string, Rollup>, rollup: Rollup): void {
  const { period, kind, from, server, name, outcome, count } = rollup
  const key = [period, kind, from.getTime(), server, name, outcome].join('\n')
  sums.set(key, { ...rollup, count: (sums.get(key)?.count ?? 0) + count })
}

function within<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** Whether every store takes this text, and no text looks like two of them. */
function isPlain(text: string): boolean {
  return text.length <= 200 && text.isWellFormed() && !/\p{Cc}/u.test(text)
}
