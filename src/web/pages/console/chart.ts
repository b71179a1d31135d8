import { type Markup, markup } from '../layout/markup.ts'
import { amount, day, moment } from '../layout/times.ts'
import type { Frame } from '../props.ts'
import { table } from './console-frame.ts'

/** One bar of a chart: a period, and what happened in it by outcome. */
export interface ChartStep {
  readonly from: Date
  readonly counts: Readonly<Record<string, number>>
}

/** A chart of stacked bars. */
export interface ChartProps {
  readonly title: string
  readonly period: 'hour' | 'day'
  readonly steps: readonly ChartStep[]
  /** The outcomes from the bottom up, with their names. */
  readonly outcomes: readonly (readonly [outcome: string, name: string])[]
}

const height = 100
const width = 10
const gap = 2

/** A chart with its key, and the same numbers as a table for those who cannot see it. */
export function chart(frame: Frame, { title, period, steps, outcomes }: ChartProps): Markup {
  const totals = steps.map(({ counts }) => outcomes.reduce((sum, [outcome]) => sum + (counts[outcome] ?? 0), 0))
  const most = Math.max(1, ...totals)
  const at = (from: Date) => (period === 'hour' ? moment(frame, from) : day(frame, from))
  const bars = steps.map((step, index) => bar(step, index * width, most, outcomes))
  const [first, last] = [steps[0], steps.at(-1)]
  const label = `${title}. At most ${amount(frame.locale, Math.max(0, ...totals))} in one ${period}. The table below has the numbers.`
  const rows = steps.map(({ from, counts }, index) => [
    at(from),
    ...outcomes.map(([outcome]) => amount(frame.locale, counts[outcome] ?? 0)),
    amount(frame.locale, totals[index] ?? 0),
  ])
  return markup`<figure class="chart"><p class="soft small">At most ${amount(frame.locale, Math.max(0, ...totals))} in one ${period}</p>
<svg viewBox="0 0 ${steps.length * width} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${bars}</svg>
<p class="axis"><span>${first && at(first.from)}</span><span>${last && at(last.from)}</span></p>
<ul class="key">${outcomes.map(([outcome, name]) => markup`<li><svg viewBox="0 0 1 1" aria-hidden="true"><rect class="of-${outcome}" width="1" height="1"/></svg>${name}</li>`)}</ul></figure>
<details><summary>The numbers as a table</summary>${table(title, [period === 'hour' ? 'Hour' : 'Day', ...outcomes.map(([, name]) => name), 'All'], rows)}</details>`
}

function bar({ counts }: ChartStep, left: number, most: number, outcomes: ChartProps['outcomes']): Markup[] {
  let top = height
  return outcomes.flatMap(([outcome]) => {
    const count = counts[outcome] ?? 0
    if (count === 0) return []
    // What happened at all can be seen.
    const tall = Math.max(1, (height * count) / most)
    top -= tall
    return markup`<rect class="of-${outcome}" x="${left + gap / 2}" y="${round(top)}" width="${width - gap}" height="${round(tall)}"/>`
  })
}

/** A bar that shows how large a number is beside others. */
export function meter(share: number): Markup {
  return markup`<svg class="meter" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="${round(100 * share)}" height="8"/></svg>`
}

const round = (number: number) => Math.round(number * 100) / 100
