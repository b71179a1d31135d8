import type { Change } from '../../../approval/question/edit.ts'
import type { Json, JsonObject } from '../../../base/json.ts'
import { shownText, showText } from '../../../base/text/show-text.ts'
import { drawPieces, exactText } from '../layout/exact-text.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { amount } from '../layout/times.ts'
import type { Frame } from '../props.ts'

/** Longer values are folded, so that the page can be read at a glance. */
const longest = 240
const mostLines = 6
const shortJson = 60

/** Every argument of a call, in full. */
export function argumentList(frame: Frame, given: JsonObject): Markup {
  const items = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : fact(name, markup`<dd>${drawValue(frame, value)}</dd>`),
  )
  return items.length === 0 ? markup`` : markup`<dl class="facts">${items}</dl>`
}

/** The arguments that an approver changed, before and after. */
export function changeList(frame: Frame, changes: readonly Change[]): Markup {
  const items = changes.map(({ name, before, after }) => {
    const was =
      before === undefined
        ? markup`<span class="soft">not given</span>`
        : markup`<del>${drawValue(frame, before)}</del>`
    return fact(
      name,
      markup`<dd class="change">${was}<span role="img" aria-label="became">→</span><ins>${drawValue(frame, after)}</ins></dd>`,
    )
  })
  return markup`<dl class="facts">${items}</dl>`
}

function fact(name: string, value: Markup): Markup {
  return markup`<div><dt class="code">${exactText(name)}</dt>${value}</div>`
}

function drawValue({ locale }: Frame, value: Json): Markup {
  const pieces = showText(typeof value === 'string' ? value : written(value))
  const text = shownText(pieces)
  if (text === '') return markup`<span class="soft">empty</span>`
  const whole = markup`<span class="value code" dir="${typeof value === 'string' ? 'auto' : 'ltr'}">${drawPieces(pieces)}</span>`
  if (text.length <= longest && text.split('\n').length <= mostLines) return whole
  const start = text.slice(0, shortJson).toWellFormed().replace(/\s+/g, ' ')
  return markup`<details class="long"><summary><span class="code">${start}…</span> <span class="small">(${amount(locale, text.length)} characters)</span></summary>${whole}</details>`
}

/** JSON on one line where it is short, else indented. */
function written(value: Json): string {
  const line = JSON.stringify(value)
  return line.length <= shortJson ? line : JSON.stringify(value, null, 2)
}
