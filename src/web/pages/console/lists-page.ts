import type { Connection } from '../../../connection/connection.ts'
import type { Browser } from '../../../participant/browser.ts'
import type { Passkey } from '../../../passkey/passkey.ts'
import type { InboxRow } from '../inbox-props.ts'
import { csrfField } from '../layout/frame.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { amount, day, moment, timeLeft } from '../layout/times.ts'
import type { Frame, GrantItem } from '../props.ts'
import { visible, visiblePlain } from '../question/quote.ts'
import { consoleDocument, nothing, part, table } from './console-frame.ts'

interface QuestionsProps {
  readonly rows: readonly (Pick<InboxRow, 'what' | 'server' | 'asker' | 'createdAt' | 'expiresAt'> & {
    readonly person: string
  })[]
  /** The address of the next page. */
  readonly next?: string
}

/** Lists the open questions of everybody. They are answered only by those who were asked. */
export function consoleQuestionsPage(frame: Frame, { rows, next }: QuestionsProps): string {
  const row = ({ what, server, asker, person, createdAt, expiresAt }: QuestionsProps['rows'][number]) =>
    markup`<li><div><strong>${visible(what, 120)}</strong>
<p class="soft small">${visible(server)}, asked by ${visible(asker, 1_000)} for ${visible(person)} · ${moment(frame, createdAt)}</p></div><span class="soft small">${timeLeft(frame, expiresAt)} left</span></li>`
  return consoleDocument(frame, {
    title: 'Questions of everybody',
    lead:
      rows.length === 0
        ? 'No question is open here.'
        : 'What is open for everybody, the one that expires soonest first. Only those who were asked can answer.',
    live: 'timer',
    body: listPart(rows.map(row), next),
  })
}

interface PermissionsProps {
  readonly grants: readonly Omit<GrantItem, 'through'>[]
  /** The address of the next page. */
  readonly next?: string
}

/** Lists what everybody allowed or denied for more than one call, with buttons to revoke it. */
export function consolePermissionsPage(frame: Frame, { grants, next }: PermissionsProps): string {
  const row = ({ sentence, standing, grantedBy, createdAt, revokeAction }: PermissionsProps['grants'][number]) => {
    const button = markup`<form method="post" action="${revokeAction}">${csrfField(frame)}<button class="destroy" aria-label="Revoke: ${visiblePlain(sentence, 2_000)}">Revoke</button></form>`
    return markup`<li><div><strong>${visible(sentence, 2_000)}</strong>
<p class="soft small">Given by ${visible(grantedBy)}, ${moment(frame, createdAt)}</p></div>${standing === 'holds' ? button : markup`<span class="tag">${standing}</span>`}</li>`
  }
  return consoleDocument(frame, {
    title: 'Permissions of everybody',
    lead:
      grants.length === 0 ? 'There are none.' : 'What people allowed or denied for more than one call, newest first.',
    body: listPart(grants.map(row), next),
  })
}

function listPart(rows: readonly Markup[], next: string | undefined): Markup {
  return markup`${rows.length > 0 && markup`<div class="part"><ul class="rows">${rows}</ul></div>`}
${next !== undefined && markup`<p><a class="button" href="${next}">Show more</a></p>`}`
}

interface ConnectionsProps {
  readonly connections: readonly (Pick<
    Connection,
    'provider' | 'account' | 'standing' | 'scopes' | 'connectedAt' | 'expiresAt' | 'renewable'
  > & { readonly person: string })[]
  /** There are more than are shown. */
  readonly isCut: boolean
}

const standings: Readonly<Record<Connection['standing'], string>> = {
  good: 'Good',
  doubted: 'Renewed before its next use',
  refused: 'Must be connected again',
}

/** Lists the accounts of everybody, without anything secret. */
export function consoleConnectionsPage(frame: Frame, { connections, isCut }: ConnectionsProps): string {
  const rows = connections.map(({ provider, person, account, standing, scopes, connectedAt, expiresAt, renewable }) => [
    markup`${visible(provider)}${account !== undefined && markup`<br><span class="soft">${visible(account, 200)}</span>`}`,
    visible(person),
    markup`<span class="tag${standing === 'refused' && ' warn'}">${standings[standing]}</span>`,
    visible(scopes.join(' '), 300),
    day(frame, connectedAt),
    expiresAt === undefined
      ? renewable
        ? 'Renewed'
        : 'Not known'
      : markup`${moment(frame, expiresAt)}${renewable && ', then renewed'}`,
  ])
  return consoleDocument(frame, {
    title: 'Connections',
    lead: 'The accounts that people connected. Tokens and keys are sealed, and shown nowhere.',
    body: markup`${part('Accounts', rows.length === 0 ? nothing('Nobody has connected an account.') : table('Accounts', ['Provider', 'Person', 'State', 'Scopes', 'Connected', 'Token lasts until'], rows))}
${isCut && markup`<p class="soft">There are more. <code>assent connections list --all</code> lists them.</p>`}`,
  })
}

interface PeopleProps {
  readonly people: readonly {
    readonly name: string
    readonly id: string
    readonly browsers: readonly Pick<Browser, 'name' | 'by' | 'createdAt' | 'expiresAt' | 'groups'>[]
    readonly passkeys: readonly Pick<Passkey, 'name' | 'kind' | 'createdAt' | 'usedAt'>[]
  }[]
  readonly isCut: boolean
}

/** Lists who was here, with the browsers and passkeys that may answer for them. */
export function consolePeoplePage(frame: Frame, { people, isCut }: PeopleProps): string {
  const rows = people.map(({ name, id, browsers, passkeys }) => [
    markup`${visible(name)}<br><span class="soft small">${visible(id, 300)}</span>`,
    markup`${browsers.map(
      (one) =>
        markup`<p>${visible(one.name)} <span class="soft">by ${one.by}, ${day(frame, one.createdAt)} until ${day(frame, one.expiresAt)}</span></p>`,
    )}`,
    markup`${passkeys.map(
      (one) =>
        markup`<p>${visible(one.name)} <span class="soft">${one.kind === 'synced' ? 'synced' : 'on one device'}${one.usedAt ? markup`, used ${day(frame, one.usedAt)}` : ', never used'}</span></p>`,
    )}`,
    visible([...new Set(browsers.flatMap(({ groups }) => groups))].join(', '), 300),
  ])
  return consoleDocument(frame, {
    title: 'People and browsers',
    lead: 'Who can answer questions here, and with what.',
    body: markup`${part('People', rows.length === 0 ? nothing('Nobody has been here yet.') : table('People', ['Person', 'Browsers', 'Passkeys', 'Groups'], rows))}
${isCut && markup`<p class="soft">These are the browsers and passkeys that were added last; there are more.</p>`}`,
  })
}

/** How far the clock of an instance is from that of the store. */
function clockWords({ locale }: Frame, aheadMs: number): string {
  const ms = Math.abs(aheadMs)
  if (ms < 0.5) return 'As that of the store'
  const much = ms < 1_000 ? `${amount(locale, Math.round(ms))} ms` : `${amount(locale, Math.round(ms / 100) / 10)} s`
  return `${much} ${aheadMs > 0 ? 'ahead' : 'behind'}`
}

interface InstancesProps {
  readonly instances: readonly {
    readonly id: string
    readonly isThis: boolean
    readonly startedAt: Date
    readonly seenAt: Date
    readonly aheadMs: number
    readonly isStopping: boolean
  }[]
  readonly problems: readonly string[]
}

/** Lists the processes that share the store. */
export function consoleInstancesPage(frame: Frame, { instances, problems }: InstancesProps): string {
  const rows = instances.map(({ id, isThis, startedAt, seenAt, aheadMs, isStopping }) => [
    markup`<code>${id}</code>${isThis && markup` <span class="tag">this one</span>`}`,
    isStopping ? 'Stopping' : 'Running',
    moment(frame, startedAt),
    moment(frame, seenAt),
    clockWords(frame, aheadMs),
  ])
  return consoleDocument(frame, {
    title: 'Instances',
    lead: 'The processes that serve the gateway from this store. One that is silent for 10 seconds is gone.',
    live: 'timer',
    body: markup`${problems.map((problem) => markup`<div class="warning"><p>${problem}</p></div>`)}
${part('Running', rows.length === 0 ? nothing('No gateway has announced itself.') : table('Instances', ['Instance', 'State', 'Started', 'Last seen', 'Clock'], rows))}`,
  })
}
