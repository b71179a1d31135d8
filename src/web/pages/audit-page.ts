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
      ? 'No recent event concerns you.'
      : 'The latest events that concern you, newest first. Only you can see this list.'
  return documentOf(
    frame,
    'Your audit',
    markup`${heading('audit', 'Your audit', lead)}
${verdict(frame, props)}
${events.length > 0 && markup`<ol class="rows">${events.map(({ words, at }) => markup`<li><span>${visible(words, 300)}</span><span class="soft small">${moment(frame, at)}</span></li>`)}</ol>`}
<p class="soft">The person who runs this installation can export the whole audit with <code>assent audit export</code>.</p>`,
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
  return markup`<div class="errors">${icons.lost}<p>The record was tampered with, in ${amount(locale, found)} ${found === 1 ? 'place' : 'places'}. <code>assent audit verify</code> lists them.</p></div>`
}
