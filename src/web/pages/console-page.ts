import { csrfField, documentOf, heading } from './layout/frame.ts'
import { type Markup, markup } from './layout/markup.ts'
import { moment, timeLeft } from './layout/times.ts'
import type { Frame, GrantItem, InboxRow } from './props.ts'
import { visible, visiblePlain } from './question/quote.ts'

interface QuestionsProps {
  readonly rows: readonly (Pick<InboxRow, 'what' | 'server' | 'asker' | 'createdAt' | 'expiresAt'> & {
    readonly person: string
  })[]
  /** The address of the next page. */
  readonly next?: string
}

/** Lists the open questions of everybody. They are answered only by those who were asked. */
export function consoleQuestionsPage(frame: Frame, { rows, next }: QuestionsProps): string {
  const lead =
    rows.length === 0
      ? 'No question is open here.'
      : 'What is open for everybody, the one that expires soonest first. Only those who were asked can answer.'
  const row = ({ what, server, asker, person, createdAt, expiresAt }: QuestionsProps['rows'][number]) =>
    markup`<li><div><strong>${visible(what, 120)}</strong>
<p class="soft small">${visible(server)}, asked by ${visible(asker, 1_000)} for ${visible(person)} · ${moment(frame, createdAt)}</p></div><span class="soft small">${timeLeft(frame, expiresAt)} left</span></li>`
  return consoleOf(frame, 'Questions of everybody', 'inbox', lead, markup`<ul class="rows">${rows.map(row)}</ul>`, next)
}

interface PermissionsProps {
  readonly grants: readonly Omit<GrantItem, 'through'>[]
  /** The address of the next page. */
  readonly next?: string
}

/** Lists what everybody allowed or denied for more than one call, with buttons to revoke it. */
export function consolePermissionsPage(frame: Frame, { grants, next }: PermissionsProps): string {
  const lead =
    grants.length === 0 ? 'There are none.' : 'What people allowed or denied for more than one call, newest first.'
  const row = ({ sentence, standing, grantedBy, createdAt, revokeAction }: PermissionsProps['grants'][number]) => {
    const button = markup`<form method="post" action="${revokeAction}">${csrfField(frame)}<button class="destroy" aria-label="Revoke: ${visiblePlain(sentence, 2_000)}">Revoke</button></form>`
    return markup`<li><div><strong>${visible(sentence, 2_000)}</strong>
<p class="soft small">Given by ${visible(grantedBy)}, ${moment(frame, createdAt)}</p></div>${standing === 'holds' ? button : markup`<span class="tag">${standing}</span>`}</li>`
  }
  return consoleOf(
    frame,
    'Permissions of everybody',
    'grant',
    lead,
    markup`<ul class="rows">${grants.map(row)}</ul>`,
    next,
  )
}

function consoleOf(frame: Frame, ...parts: [string, 'inbox' | 'grant', string, Markup, string | undefined]): string {
  const [title, icon, lead, list, next] = parts
  return documentOf(
    frame,
    title,
    markup`<nav aria-label="Console"><a href="/console">Questions</a> · <a href="/console/permissions">Permissions</a></nav>
${heading(icon, title, lead)}
${list}
${next !== undefined && markup`<p><a class="button" href="${next}">Show more</a></p>`}`,
  )
}
