import type { Command } from 'commander'
import {
  type Comparison,
  compare,
  emptyComparison,
  type ReplayOutcome,
  replayedEffects,
  replayOutcomes,
} from '../../approval/replay/compare.ts'
import type { Lack } from '../../approval/replay/replay.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { readDocument } from '../config/document.ts'
import { print } from '../print.ts'
import { momentText, tableLines } from '../show-table.ts'
import { sinceOf } from '../since.ts'
import { configOf, withStore } from '../with-assent.ts'
import { draftIn } from './draft.ts'
import { hasStore } from './kept-store.ts'

export interface ReplayOptions {
  readonly since?: string
  readonly json?: true
}

const mostShown = 50

/** Shows what a draft of a policy would have decided on the calls in the audit. */
export async function replayPolicy(command: Command, file: string, { since, json }: ReplayOptions): Promise<void> {
  const draft = await draftIn(await readDocument(file))
  const config = await configOf(command)
  const from = sinceOf(since)
  const compared = hasStore(config)
    ? await withStore(command, ({ store }) =>
        compare(store.audit, draft, (server) => config.servers.get(server)?.trusted ?? false, from),
      )
    : emptyComparison()
  if (json) return print(JSON.stringify(compared))
  for (const line of linesOf(compared, file)) print(line)
}

const names: Readonly<Record<ReplayOutcome, string>> = {
  allow: 'allowed',
  ask: 'asked about',
  deny: 'denied',
  unknown: 'cannot tell',
}

function linesOf({ calls, oldest, counts, lacks, changes }: Comparison, file: string): string[] {
  if (oldest === undefined) return ['The audit has no calls to replay.']
  const rows = replayedEffects.map((was) => [
    `was ${names[was]}`,
    ...replayOutcomes.map((now) => String(counts[was][now])),
  ])
  const shown = changes.slice(0, mostShown).map(({ server, tool, was, now, calls: count }) => {
    return [String(count), visibleLine(server), visibleLine(tool), names[was], names[now]]
  })
  const unknown = replayedEffects.reduce((sum, was) => sum + counts[was].unknown, 0)
  const left = changes.length - shown.length
  return [
    `${counted(calls)} since ${momentText(oldest)}. Columns: what ${file} would have decided.`,
    '',
    ...tableLines(['', ...replayOutcomes.map((now) => names[now])], rows),
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
  usage: 'how much of a limit was used is not recorded',
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
