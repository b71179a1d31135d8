import type { Line } from '../../../definition/difference.ts'
import { csrfField } from '../layout/frame.ts'
import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { amount, moment } from '../layout/times.ts'
import type { Frame } from '../props.ts'
import { visible, visiblePlain } from '../question/quote.ts'
import { consoleDocument, nothing, part, table } from './console-frame.ts'

/** One tool of one server, and what differs from what was allowed. */
export interface ToolItem {
  readonly server: string
  readonly tool: string
  readonly digest: string
  /** Why it is held back where definitions are pinned. */
  readonly why: 'new' | 'changed' | undefined
  readonly firstSeen: Date
  readonly changedAt: Date
  readonly changes: number
  readonly allowedAt?: Date
  readonly lines: readonly Line[]
}

interface ToolsPageProps {
  readonly held: readonly ToolItem[]
  readonly heldInAll: number
  readonly others: readonly ToolItem[]
  /** The tool that changed again while somebody looked at it. */
  readonly late?: string
}

const mostLines = 200
const longest = 4_000
const longestName = 200

/** Lists the tools that are held back, each with what is new of it and a button to allow exactly that. */
export function toolsPage(frame: Frame, { held, heldInAll, others, late }: ToolsPageProps): string {
  const lead =
    heldInAll === 0
      ? 'Nothing is held back. Where a server has pin: true, new and changed tools wait here for you.'
      : `${heldInAll === 1 ? 'One tool waits' : `${amount(frame.locale, heldInAll)} tools wait`} for you. Until you allow it, a tool is neither listed nor called.`
  return consoleDocument(frame, {
    title: 'Tools',
    lead,
    body: markup`${late !== undefined && markup`<div class="warning" role="alert">${icons.warning}<p><strong>${visible(late)} changed again while you looked at it.</strong> Nothing was allowed. Look at it once more below.</p></div>`}
${held.map((one) => waiting(frame, one))}
${held.length < heldInAll && markup`<p class="soft">More are shown when you have allowed some of these.</p>`}
${part('What servers offer', offered(frame, others))}`,
  })
}

function waiting(frame: Frame, { server, tool, digest, why, changedAt, lines }: ToolItem): Markup {
  const what = why === 'new' ? 'New' : 'Changed'
  const more = lines.length - mostLines
  const allowing = markup`<form method="post" action="/console/tools/allow">${csrfField(frame)}<input type="hidden" name="server" value="${server}"><input type="hidden" name="tool" value="${tool}"><input type="hidden" name="digest" value="${digest}"><button aria-label="Allow this definition of ${visiblePlain(tool)} on ${visiblePlain(server)}">Allow this definition</button></form>`
  const elsewhere = markup`<p>It is too long to be shown in full here. Look at it in a terminal: <span class="code">assent tools allow</span>.</p>`
  return markup`<section class="part" aria-label="${visiblePlain(tool)} of ${visiblePlain(server)}"><h2><span class="code">${visible(tool)}</span> of ${visible(server)} <span class="tag warn">${what}</span></h2>
<p class="soft small">${why === 'new' ? 'Nobody has allowed it yet.' : 'It is not what was allowed.'} Offered since ${moment(frame, changedAt)}. What follows is the server’s own words.</p>
<dl class="facts">${lines.slice(0, mostLines).map(difference)}</dl>
${more > 0 && markup`<p class="soft small">And ${amount(frame.locale, more)} more lines.</p>`}
${isWhole(lines) ? allowing : elsewhere}</section>`
}

/** Nobody allows what they cannot see. */
function isWhole(lines: readonly Line[]): boolean {
  const isShown = ({ path, before = '', now = '' }: Line) =>
    path.length <= longestName && before.length <= longest && now.length <= longest
  return lines.length <= mostLines && lines.every(isShown)
}

/** What was allowed above what is offered now, so that the eye compares them. */
function difference({ path, before, now }: Line): Markup {
  const name = path === '' ? 'definition' : path
  const was =
    before !== undefined &&
    markup`<dd class="was"><span class="soft small">was</span> <del class="code">${visible(before, longest)}</del></dd>`
  const word = before !== undefined && markup`<span class="soft small">is</span> `
  const is =
    now === undefined
      ? markup`<dd class="soft small">is gone</dd>`
      : markup`<dd>${word}<ins class="code">${visible(now, longest)}</ins></dd>`
  return markup`<div><dt class="code">${visible(name, longestName)}</dt>${was}${is}</div>`
}

function offered(frame: Frame, others: readonly ToolItem[]): Markup {
  if (others.length === 0) return nothing('No other tool is known here yet.')
  const rows = others.map(({ server, tool, firstSeen, changedAt, changes, allowedAt }) => [
    markup`<code>${visible(tool, 200)}</code>`,
    visible(server),
    moment(frame, firstSeen),
    changes === 0
      ? markup`<span class="soft">never</span>`
      : markup`${changes === 1 ? 'Once' : `${amount(frame.locale, changes)} times`}, last ${moment(frame, changedAt)}`,
    allowedAt === undefined ? markup`<span class="soft">not pinned</span>` : moment(frame, allowedAt),
  ])
  return table('What servers offer', ['Tool', 'Server', 'First seen', 'Changed', 'Allowed'], rows)
}
