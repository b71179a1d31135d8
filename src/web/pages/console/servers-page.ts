import type { ServerView } from '../../console/sources.ts'
import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { amount, moment } from '../layout/times.ts'
import type { Frame } from '../props.ts'
import { quotation, visible } from '../question/quote.ts'
import { consoleDocument, nothing, part, table } from './console-frame.ts'

export interface ServersPageProps {
  /** Absent: this process has no gateway. */
  readonly servers?: readonly ServerItem[]
}

interface ServerItem extends ServerView {
  readonly accounts?: number
  /** What is known of its tools from the time they were first offered, by name. */
  readonly history?: ReadonlyMap<string, ToolHistory>
  /** How many of its tools are held back until somebody allows them. */
  readonly held?: number
}

/** Since when a tool is known, and what became of its definition. */
export interface ToolHistory {
  readonly firstSeen: Date
  readonly changes: number
  readonly changedAt: Date
  readonly allowedAt?: Date
}

const states: Readonly<Record<ServerView['state'], string>> = {
  up: 'Up',
  down: 'Down',
  starting: 'Starting',
  untried: 'Not needed yet',
}
const mostTools = 40

/** The servers behind the gateway, as this process sees them. */
export function serversPage(frame: Frame, { servers }: ServersPageProps): string {
  const body =
    servers === undefined
      ? nothing('This process serves pages only. The console of the process with the gateway shows its servers.')
      : servers.length === 0
        ? nothing('The settings name no server.')
        : markup`${servers.map((server) => serverPart(frame, server))}`
  return consoleDocument(frame, {
    title: 'Servers',
    lead: 'How the servers behind this gateway are. Another process may see them differently.',
    live: 'timer',
    body,
  })
}

function serverPart(frame: Frame, server: ServerItem): Markup {
  const { id, state, since, restarts, open, inFlight, revision, reason, lastLine, provider, accounts, leftOut } = server
  const number = (count: number) => amount(frame.locale, count)
  const facts: readonly (readonly [string, Markup | string])[] = [
    [
      'State',
      markup`<span class="tag${state === 'down' && ' warn'}">${states[state]}</span> since ${moment(frame, since)}`,
    ],
    ['Protocol', revision ?? 'not known yet'],
    ['Under way', `${number(inFlight)} in ${number(open)} ${open === 1 ? 'session' : 'sessions'}`],
    ...(restarts > 0 ? [['Ended unexpectedly', `${number(restarts)} times`] as const] : []),
    ...(provider === undefined
      ? []
      : [['Accounts', markup`${number(accounts ?? 0)} at ${visible(provider)}`] as const]),
  ]
  const said = [
    ...(reason === undefined || state === 'up' ? [] : [quotation(id, reason, 'none', { characters: 400, lines: 4 })]),
    ...(lastLine === undefined || reason?.includes(lastLine) === true
      ? []
      : [
          markup`<p class="soft small">Its last line on standard error:</p>`,
          quotation(id, lastLine, 'none', { characters: 400, lines: 2 }),
        ]),
  ]
  return part(
    id,
    markup`<dl class="figures plainly">${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>${said}${heldOf(frame, server)}${toolsOf(frame, server)}${
      leftOut.length > 0 &&
      markup`<p>Left out of its lists: ${leftOut.map(({ name, list, reason: why }, index) => markup`${index > 0 && ', '}${visible(name ?? `all ${list}`)} (${visible(why, 200)})`)}</p>`
    }`,
  )
}

function heldOf({ locale }: Frame, { held = 0 }: ServerItem): Markup {
  if (held === 0) return markup``
  const words = held === 1 ? 'One tool is held back' : `${amount(locale, held)} tools are held back`
  return markup`<div class="warning">${icons.warning}<p>${words}. <a href="/console/tools">See what is new of ${held === 1 ? 'it' : 'them'}</a></p></div>`
}

function toolsOf(frame: Frame, { id, tools, history }: ServerItem): Markup {
  const { locale } = frame
  if (tools === undefined) return nothing('No list of its tools is known here yet.')
  if (tools.length === 0) return nothing('It has no tools.')
  const rows = tools
    .slice(0, mostTools)
    .map(({ name, definition }) => [
      markup`<code>${visible(name, 200)}</code>`,
      since(frame, history?.get(name)),
      markup`<code>${visible(definition.slice(0, 12))}</code>`,
    ])
  const more = tools.length - rows.length
  return markup`<details><summary>${amount(locale, tools.length)} ${tools.length === 1 ? 'tool' : 'tools'}</summary><p class="soft small">The digest changes when the definition of the tool does: a lasting yes for it is suspended then.</p>${table(`Tools of ${id}`, ['Tool', 'What changed when', 'Digest of its definition'], rows)}${more > 0 && markup`<p class="soft">And ${amount(locale, more)} more.</p>`}</details>`
}

function since(frame: Frame, history: ToolHistory | undefined): Markup {
  if (history === undefined) return markup`<span class="soft">not known yet</span>`
  const { firstSeen, changes, changedAt, allowedAt } = history
  const times = changes === 1 ? 'once' : `${amount(frame.locale, changes)} times`
  const changed = changes === 0 ? 'not changed since' : markup`changed ${times}, last ${moment(frame, changedAt)}`
  return markup`First seen ${moment(frame, firstSeen)}, ${changed}${allowedAt !== undefined && markup`, allowed ${moment(frame, allowedAt)}`}`
}
