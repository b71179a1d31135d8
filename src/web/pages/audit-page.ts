import { documentOf, heading } from './layout/frame.ts'
import { icons } from './layout/icons.ts'
import { type Markup, markup } from './layout/markup.ts'
import { amount, moment } from './layout/times.ts'
import type { AuditPageProps, Frame } from './props.ts'
import { visible } from './question/quote.ts'

/** Lists the latest events that concern a person, and says whether the audit verifies. */
export function auditPage(frame: Frame, props: AuditPageProps): string {
  const { events } = props
  const lead =
    events.length === 0
      ? 'Nothing that concerns you was recorded lately.'
      : 'What happened lately that concerns you, newest first. Only you see it here.'
  return documentOf(
    frame,
    'Your audit',
    markup`${heading('audit', 'Your audit', lead)}
${verdict(frame, props)}
${events.length > 0 && markup`<ol class="rows">${events.map(({ words, at }) => markup`<li><span>${visible(words, 300)}</span><span class="soft small">${moment(frame, at)}</span></li>`)}</ol>`}
<p class="soft">Whoever runs this installation gets everything with <code>assent audit export</code>.</p>`,
  )
}

function verdict({ locale }: Frame, { checked }: AuditPageProps): Markup {
  if (checked === undefined) {
    return markup`<p><a class="button" href="/audit?check=1">Check that nothing was changed</a></p>`
  }
  const { events, found } = checked
  if (found === 0) {
    return markup`<p class="verdict good">${icons.done}<span>The record is whole: none of its ${amount(locale, events)} events was changed, moved or removed.</span></p>`
  }
  return markup`<div class="errors">${icons.lost}<p>The record was tampered with, in ${amount(locale, found)} ${found === 1 ? 'place' : 'places'}. <code>assent audit verify</code> names them.</p></div>`
}
