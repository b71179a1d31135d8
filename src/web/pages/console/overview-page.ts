import type { OutcomeCounts, Overview, OverviewRange } from '../../../rollup/overview.ts'
import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { amount, duration } from '../layout/times.ts'
import type { Frame } from '../props.ts'
import { visible } from '../question/quote.ts'
import { chart, meter } from './chart.ts'
import { consoleDocument, nothing, part, table } from './console-frame.ts'
import { fallbackWords } from './fallback-words.ts'

export interface OverviewPageProps {
  readonly overview: Overview
  /** Questions that are open now; `mostOpen` stands for so many or more. */
  readonly open: number
  readonly mostOpen: number
  readonly isPaused: boolean
}

const ranges: readonly (readonly [OverviewRange, string])[] = [
  ['day', '24 hours'],
  ['week', '7 days'],
  ['month', '30 days'],
]

const callOutcomes = [
  ['done', 'Done'],
  ['failed', 'Failed'],
  ['refused', 'Refused'],
  ['left-to-client', 'Left to the coding agent'],
] as const

const questionOutcomes = [
  ['asked', 'Asked'],
  ['accepted', 'Accepted'],
  ['declined', 'Declined'],
  ['cancelled', 'Cancelled'],
  ['expired', 'Expired'],
  ['withdrawn', 'Withdrawn'],
  ['failed', 'Failed'],
] as const

/** What happened lately, in numbers. */
export function overviewPage(frame: Frame, { overview, open, mostOpen, isPaused }: OverviewPageProps): string {
  const { locale } = frame
  const { calls, questions, waits, range, period, steps } = overview
  const number = (count: number) => amount(locale, count)
  const figures: readonly (readonly [string, string])[] = [
    ['Calls', number(sumOf(calls))],
    ['Questions asked', number(questions.asked ?? 0)],
    ['Open now', open >= mostOpen ? `${number(mostOpen)} or more` : number(open)],
    ['Half answered in', waits === undefined ? '–' : waitWords(locale, waits.median)],
    ['95 % answered in', waits === undefined ? '–' : waitWords(locale, waits.most)],
  ]
  const shownCalls = callOutcomes.filter(([outcome]) => outcome !== 'left-to-client' || calls[outcome] !== undefined)
  return consoleDocument(frame, {
    title: 'Overview',
    lead: 'What ran, what was asked, and how long people took.',
    live: 'timer',
    body: markup`${isPaused && markup`<div class="warning">${icons.warning}<p>Everything is paused. No tool runs until somebody resumes it with <code>assent resume</code>.</p></div>`}
<nav class="ranges" aria-label="Time">${ranges.map(([one, name]) => markup`<a href="/console${one === 'day' ? '' : `?range=${one}`}"${one === range && markup` aria-current="true"`}>${name}</a>`)}</nav>
<dl class="figures">${figures.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${part('Calls', sumOf(calls) === 0 ? nothing('No tool was called.') : markup`${chart(frame, { title: `Calls by ${period}`, period, steps: steps.map(({ from, calls: counts }) => ({ from, counts })), outcomes: shownCalls })}`)}
<div class="pair">${part('Questions', questionTable(frame, questions))}${part('Asked elsewhere than in the client', fallbackTable(frame, overview), 'On a page, in the inbox or not at all, as the settings say, and why.')}</div>
${part('Most asked tools', askedTable(frame, overview), 'Tools that people were asked about, and how those questions ended.')}
${part('Most called tools', toolTable(frame, overview))}
<p class="soft small">Numbers are counted as things happen, by all processes that share the store, and written every second. Days and hours begin in UTC.</p>`,
  })
}

function questionTable({ locale }: Frame, questions: OutcomeCounts): Markup {
  if (sumOf(questions) === 0) return nothing('Nothing was asked.')
  const rows = questionOutcomes
    .filter(([outcome]) => outcome === 'asked' || questions[outcome] !== undefined)
    .map(([outcome, name]) => [name, amount(locale, questions[outcome] ?? 0)])
  return table('Questions by outcome', ['Outcome', 'Questions'], rows)
}

function fallbackTable({ locale }: Frame, { fallbacks }: Overview): Markup {
  if (fallbacks.length === 0) return nothing('None.')
  const rows = fallbacks.map(({ reason, count }) => [
    fallbackWords[reason] ?? markup`<code>${visible(reason)}</code>`,
    amount(locale, count),
  ])
  return table('Fallbacks by reason', ['Reason', 'Questions'], rows)
}

function askedTable({ locale }: Frame, { asked }: Overview): Markup {
  const [first] = asked
  if (first === undefined) return nothing('Nobody was asked about a call.')
  const most = first.questions.asked ?? 0
  const rows = asked.map(({ server, name, questions }) => {
    const { asked: all = 0, accepted = 0, declined = 0, ...others } = questions
    const numbers = [accepted, declined, sumOf(others)].map((count) => amount(locale, count))
    return [toolName(server, name), markup`${amount(locale, all)}${meter(all / Math.max(1, most))}`, ...numbers]
  })
  return table('Questions by tool', ['Tool', 'Asked', 'Allowed', 'Denied', 'Without an answer'], rows)
}

function toolName(server: string, name: string): Markup | string {
  if (name === '') return 'All others together'
  return markup`<code>${visible(name, 200)}</code> <span class="soft">on ${visible(server)}</span>`
}

function toolTable({ locale }: Frame, { tools, calls }: Overview): Markup {
  const [first] = tools
  if (first === undefined) return nothing('No tool was called.')
  const most = sumOf(first.calls)
  const hasOthers = calls['left-to-client'] !== undefined
  const rows = tools.map(({ server, name, calls: counts }) => {
    const numbers = callOutcomes.slice(0, hasOthers ? 4 : 3).map(([outcome]) => amount(locale, counts[outcome] ?? 0))
    return [toolName(server, name), markup`${amount(locale, sumOf(counts))}${meter(sumOf(counts) / most)}`, ...numbers]
  })
  const names = callOutcomes.slice(0, hasOthers ? 4 : 3).map(([, name]) => name)
  return table('Calls by tool', ['Tool', 'Calls', ...names], rows)
}

/** A waiting time as people say it; the buckets tell it about so exactly. */
function waitWords(locale: string, ms: number): string {
  return duration(locale, Math.max(1_000, ms))
}

function sumOf(counts: OutcomeCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
