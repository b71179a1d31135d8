import type { Command } from 'commander'
import { stringify } from 'yaml'
import { recordedCalls } from '../../approval/replay/recorded-calls.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { hasStore } from '../policy/kept-store.ts'
import { print } from '../print.ts'
import { momentText, tableLines } from '../show-table.ts'
import { sinceOf } from '../since.ts'
import { configOf, withStore } from '../with-assent.ts'
import { type Proposal, propose } from './propose.ts'
import { type Tally, type ToolTally, tallyCalls } from './tally.ts'

export interface ReportOptions {
  readonly since?: string
  readonly yaml?: true
  readonly json?: true
}

/** Shows what happened to the recorded calls, what would have been asked and denied, and rules that fit. */
export async function showReport(command: Command, { since, yaml, json }: ReportOptions): Promise<void> {
  const from = sinceOf(since)
  const config = await configOf(command)
  const tally = hasStore(config)
    ? await withStore(command, ({ store }) => tallyCalls(recordedCalls(store.audit, from)))
    : await tallyCalls(nothing())
  const tools = [...tally.tools.values()].sort((one, other) => other.calls - one.calls)
  const proposals = propose(tools)
  if (json) return print(JSON.stringify({ ...tally, clients: [...tally.clients], tools, proposals }))
  if (yaml) return print(draftOf(proposals))
  for (const line of linesOf(tally, tools, proposals)) print(line)
}

async function* nothing(): AsyncGenerator<never> {}

function linesOf(tally: Tally, tools: readonly ToolTally[], proposals: readonly Proposal[]): string[] {
  if (tally.oldest === undefined) return ['The audit has no calls yet.']
  const clients = tally.clients.size === 1 ? '1 client' : `${tally.clients.size} clients`
  const rows = tools.map(({ server, tool, calls, decided, ran, approved, declined }) => [
    visibleLine(server),
    visibleLine(tool),
    ...[calls, decided.allow, decided.ask, decided.deny, ran, approved, declined].map(String),
  ])
  return [
    `${tally.calls} calls by ${clients} since ${momentText(tally.oldest)}:`,
    '',
    ...tableLines(['server', 'tool', 'calls', 'allow', 'ask', 'deny', 'ran', 'approved', 'declined'], rows),
    ...watchedLines(tools),
    '',
    ...(proposals.length === 0
      ? ['Every call was named by a rule.']
      : ['Rules for what no rule named:', '', draftOf(proposals)]),
  ]
}

function watchedLines(tools: readonly ToolTally[]): string[] {
  const sum = (effect: 'ask' | 'deny') => tools.reduce((all, { watched }) => all + watched[effect], 0)
  if (sum('ask') + sum('deny') === 0) return []
  return [
    '',
    `The policy only watched. Calls that ran: it would have asked about ${sum('ask')}, and denied ${sum('deny')}.`,
  ]
}

/** The proposals as a policy, one line each. */
function draftOf(proposals: readonly Proposal[]): string {
  const lines = proposals.map(({ because, ...rule }) => {
    const written = stringify(rule, { collectionStyle: 'flow', lineWidth: 0 }).trim()
    return `    - ${written}  # ${because}`
  })
  return ['policy:', lines.length === 0 ? '  rules: []' : '  rules:', ...lines].join('\n')
}
