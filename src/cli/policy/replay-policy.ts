import type { Command } from 'commander'
import { BadPolicy } from '../../approval/policy/bad-policy.ts'
import type { Effect, Policy } from '../../approval/policy/policy.ts'
import { readPolicy } from '../../approval/policy/read-policy.ts'
import { type RecordedCall, recordedCalls } from '../../approval/replay/recorded-calls.ts'
import { type Lack, namedParticipants, type Replayed, type ReplayFacts, replay } from '../../approval/replay/replay.ts'
import type { Assent } from '../../assent.ts'
import { isPlainObject } from '../../base/json.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { Config } from '../config/config.ts'
import { readDocument } from '../config/document.ts'
import { badConfig, pathText } from '../config/problems.ts'
import { print } from '../print.ts'
import { momentText, tableLines } from '../show-table.ts'
import { sinceOf } from '../since.ts'
import { configOf, withStore } from '../with-assent.ts'
import { hasStore } from './kept-store.ts'

export interface ReplayOptions {
  readonly since?: string
  readonly json?: true
}

type Outcome = Effect | 'unknown'

/** One kind of change: calls of one tool that were decided one way, and would be decided another. */
interface Change {
  readonly server: string
  readonly tool: string
  readonly was: Effect
  readonly now: Outcome
  calls: number
}

/** What a draft would have decided on the recorded calls. */
interface Comparison {
  calls: number
  oldest: Date | undefined
  readonly counts: Record<Effect, Record<Outcome, number>>
  readonly lacks: Record<Lack, number>
  readonly changes: Change[]
}

const effects: readonly Effect[] = ['allow', 'ask', 'deny']
const outcomes: readonly Outcome[] = [...effects, 'unknown']
const mostShown = 50

/** Shows what a draft of a policy would have decided on the calls in the audit. */
export async function replayPolicy(command: Command, file: string, { since, json }: ReplayOptions): Promise<void> {
  const draft = await readDraft(file)
  const config = await configOf(command)
  const from = sinceOf(since)
  const compared = hasStore(config)
    ? await withStore(command, (assent) => compare(assent, draft, config, from))
    : emptyComparison()
  if (json) return print(JSON.stringify(compared))
  for (const line of linesOf(compared, file)) print(line)
}

/** The policy of a settings file, or a file that holds nothing but a policy. */
async function readDraft(file: string): Promise<Policy> {
  const document = await readDocument(file)
  const isSettings = isPlainObject(document.value.policy)
  const path = isSettings ? ['policy'] : []
  try {
    return await readPolicy(isSettings ? document.value.policy : document.value)
  } catch (error) {
    if (!(error instanceof BadPolicy)) throw error
    const problems = error.problems.map((problem) => {
      const at = [...path, ...problem.path]
      return { path: at, message: `${pathText(at)}: ${problem.message}` }
    })
    throw badConfig(document, problems)
  }
}

/** Decides every recorded call anew. */
export async function compare(
  { store }: Pick<Assent, 'store'>,
  draft: Policy,
  config: Pick<Config, 'servers'>,
  since: Date,
): Promise<Comparison> {
  const compared = emptyComparison()
  const changes = new Map<string, Change>()
  const facts = await factsFor(store, draft, config)
  for await (const call of recordedCalls(store.audit, since)) take(compared, changes, call, replay(draft, call, facts))
  compared.changes.push(...[...changes.values()].sort((one, other) => other.calls - one.calls))
  return compared
}

/** People are in the audit by pseudonyms; those whom the draft names are looked up. */
async function factsFor(
  store: Assent['store'],
  draft: Policy,
  { servers }: Pick<Config, 'servers'>,
): Promise<ReplayFacts> {
  const known = await Promise.all(
    namedParticipants(draft).map(async (name) => [await store.audit.findPseudonym(name), name] as const),
  )
  const participants = new Map(known)
  return {
    isTrusted: (server) => servers.get(server)?.trusted ?? false,
    participantOf: (who) => participants.get(who),
  }
}

function emptyComparison(): Comparison {
  const zero = <Name extends string>(names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
  return {
    calls: 0,
    oldest: undefined,
    counts: { allow: zero(outcomes), ask: zero(outcomes), deny: zero(outcomes) },
    lacks: zero(['arguments', 'annotations', 'requester']),
    changes: [],
  }
}

function take(compared: Comparison, changes: Map<string, Change>, call: RecordedCall, replayed: Replayed): void {
  const { server, tool, decided: was, at } = call
  const now = replayed.kind === 'decided' ? replayed.effect : 'unknown'
  compared.calls += 1
  if (compared.oldest === undefined || at < compared.oldest) compared.oldest = at
  compared.counts[was][now] += 1
  if (replayed.kind === 'unknown') for (const lack of replayed.lacks) compared.lacks[lack] += 1
  if (was === now) return
  const key = JSON.stringify([server, tool, was, now])
  const change = changes.get(key) ?? { server, tool, was, now, calls: 0 }
  change.calls += 1
  changes.set(key, change)
}

const names: Readonly<Record<Outcome, string>> = {
  allow: 'allowed',
  ask: 'asked about',
  deny: 'denied',
  unknown: 'cannot tell',
}

function linesOf({ calls, oldest, counts, lacks, changes }: Comparison, file: string): string[] {
  if (oldest === undefined) return ['The audit has no calls to replay.']
  const rows = effects.map((was) => [`was ${names[was]}`, ...outcomes.map((now) => String(counts[was][now]))])
  const shown = changes.slice(0, mostShown).map(({ server, tool, was, now, calls: count }) => {
    return [String(count), visibleLine(server), visibleLine(tool), names[was], names[now]]
  })
  const unknown = effects.reduce((sum, was) => sum + counts[was].unknown, 0)
  const left = changes.length - shown.length
  return [
    `${counted(calls)} since ${momentText(oldest)}. Columns: what ${file} would have decided.`,
    '',
    ...tableLines(['', ...outcomes.map((now) => names[now])], rows),
    ...(shown.length === 0 ? [] : ['', 'What changes:', '']),
    ...(shown.length === 0 ? [] : tableLines(['calls', 'server', 'tool', 'was', 'now'], shown)),
    ...(left > 0 ? [`… and ${left} more; --json has all of them.`] : []),
    ...(unknown > 0 ? lackLines(unknown, lacks) : []),
  ]
}

const lackWords: Readonly<Record<Lack, string>> = {
  arguments: 'their arguments were not kept (a rule with keepArguments: true keeps them)',
  annotations: 'annotations are not recorded',
  requester: 'the groups and agents of requesters are not recorded',
}

function lackLines(unknown: number, lacks: Comparison['lacks']): string[] {
  const named = Object.entries(lacks).filter(([, count]) => count > 0)
  return [
    '',
    `${counted(unknown)} cannot be judged:`,
    ...named.map(([lack, count]) => `  ${count}: ${lackWords[lack as Lack]}`),
  ]
}

function counted(calls: number): string {
  return calls === 1 ? '1 call' : `${calls} calls`
}
