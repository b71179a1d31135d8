import type { HistoryPageProps } from '../inbox-props.ts'
import { documentOf, heading } from '../layout/frame.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { moment } from '../layout/times.ts'
import type { Frame } from '../props.ts'
import { visible } from '../question/quote.ts'

/** Lists the latest settled questions of a person, with how each ended. */
export function historyPage(frame: Frame, { rows }: HistoryPageProps): string {
  const lead = rows.length === 0 ? 'You have not been asked anything yet.' : 'What you were asked lately, newest first.'
  return documentOf(
    frame,
    'Earlier questions',
    markup`${heading('clock', 'Earlier questions', lead)}
${rows.length > 0 && markup`<ul class="rows">${rows.map((row) => drawRow(frame, row))}</ul>`}
<p><a href="/inbox">Back to the inbox</a></p>`,
  )
}

function drawRow(frame: Frame, { what, server, asker, end, at, href }: HistoryPageProps['rows'][number]): Markup {
  const name = markup`<strong>${visible(what, 120)}</strong>`
  return markup`<li><div>${href === undefined ? name : markup`<a href="${href}">${name}</a>`}
<p class="soft small">${visible(server)}, asked by ${visible(asker, 1_000)} · ${moment(frame, at)}</p></div><span class="tag">${end}</span></li>`
}
