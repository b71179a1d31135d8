import { exactText } from '../layout/exact-text.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { moment } from '../layout/times.ts'
import type { Frame } from '../props.ts'
import { visible } from '../question/quote.ts'
import { table } from './console-frame.ts'

/** An event of the audit as a row. */
export interface EventRow {
  readonly at: Date
  readonly kind: string
  /** As a sentence. */
  readonly words: string
  /** The name of the person, or the beginning of their pseudonym. */
  readonly who?: string
  readonly about?: string
  /** Its facts as JSON; they may hold words of servers and clients. */
  readonly data: string
  /** The chain, and its number in it. */
  readonly place: string
}

const mostData = 2_000

export function eventsTable(frame: Frame, caption: string, rows: readonly EventRow[]): Markup {
  const cells = ({ at, kind, words, who, about, data, place }: EventRow) => [
    markup`${moment(frame, at)}`,
    markup`${visible(words, 300)}<details><summary>${visible(kind)}</summary><p class="small soft">Event ${place}${about !== undefined && markup`, about <code>${visible(about, 200)}</code>`}</p><p><code class="value">${exactText(data.slice(0, mostData))}${data.length > mostData && ' …'}</code></p></details>`,
    who === undefined ? '' : visible(who),
  ]
  return table(caption, ['Time', 'What happened', 'Who'], rows.map(cells))
}
