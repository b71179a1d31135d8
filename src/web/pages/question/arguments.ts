import type { Change } from '../../../approval/question/edit.ts'
import type { Json, JsonObject } from '../../../base/json.ts'
import { showJson, shownText, showText } from '../../../base/text/show-text.ts'
import { drawPieces, exactName } from '../layout/exact-text.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { amount } from '../layout/times.ts'
import type { Frame } from '../props.ts'

/** Longer values can be folded by the person. They are open at first: nothing may be allowed that was not shown. */
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
  return markup`<div><dt class="code">${exactName(name)}</dt>${value}</div>`
}

/** A value, every character of it. */
export function drawValue({ locale }: Frame, value: Json): Markup {
  const pieces = typeof value === 'string' ? showText(value) : showJson(value, isShortJson(value) ? 0 : 2)
  const text = shownText(pieces)
  if (text === '') return markup`<span class="soft">empty</span>`
  const whole = markup`<span class="value code" dir="${typeof value === 'string' ? 'auto' : 'ltr'}">${drawPieces(pieces)}</span>`
  const lines = text.split('\n').length
  if (text.length <= longest && lines <= mostLines) return whole
  const size = `${amount(locale, text.length)} characters${lines > 1 ? `, ${amount(locale, lines)} lines` : ''}`
  return markup`<details class="long" open><summary class="small">${size}</summary>${whole}</details>`
}

/** JSON on one line where it is short, else indented. */
function isShortJson(value: Json): boolean {
  return JSON.stringify(value).length <= shortJson
}
