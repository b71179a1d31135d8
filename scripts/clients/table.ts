import type { Finding } from './findings.ts'
import { hookTrials } from './hooks.ts'
import { trials } from './story.ts'
import type { Tried } from './try-app.ts'
import { screenTrials } from './try-screen.ts'

/** One client in the table. */
export interface Column {
  readonly title: string
  readonly version: string
  readonly tried: Tried
}

/** The findings as tables in Markdown: a line for each trial, a column for each client. */
export function tables(columns: readonly Column[], date: string, assent: string): string {
  const headless = table(columns, trials, ({ tried }) => tried.findings)
  const withScreen = columns.filter(({ tried }) => tried.screens !== undefined)
  const screens = table(withScreen, screenTrials, ({ tried }) => tried.screens)
  const parts = [
    `Tried on ${date} with Assent ${assent}. ✗ marks what did not work.`,
    'With nobody at the client:',
    headless,
  ]
  if (withScreen.length > 0) parts.push('With somebody at its screen; what the person gets:', screens)
  const withHooks = columns.filter(({ tried }) => tried.hooks !== undefined)
  const hooks = table(withHooks, hookTrials, ({ tried }) => tried.hooks)
  if (withHooks.length > 0) parts.push('Its shell behind `assent hook`, with nobody at the client:', hooks)
  return parts.join('\n\n')
}

function table<T extends string>(
  columns: readonly Column[],
  lines: Readonly<Record<T, string>>,
  findingsOf: (column: Column) => ReadonlyMap<T, Finding> | undefined,
): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const head = row(['', ...columns.map(({ title, version }) => `${title} ${version}`)])
  const rule = `|${'---|'.repeat(columns.length + 1)}`
  const body = (Object.keys(lines) as T[]).map((trial) =>
    row([lines[trial], ...columns.map((column) => cell(findingsOf(column)?.get(trial)))]),
  )
  return [head, rule, ...body].join('\n')
}

function cell(finding: Finding | undefined): string {
  if (finding === undefined) return '✗ not reached'
  return finding.ok ? finding.words : `✗ ${finding.words}`
}

const begin = '<!-- written by npm run clients -->'
const end = '<!-- end -->'

/** The page with its tables replaced by new ones. */
export function replaceTables(page: string, text: string): string {
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`The page has no ${begin} followed by ${end}.`)
  return `${before}${begin}\n${text}\n${end}${after}`
}
