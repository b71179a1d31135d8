import { csrfField, documentOf, heading } from './layout/frame.ts'
import { type Markup, markup } from './layout/markup.ts'
import { moment } from './layout/times.ts'
import type { Frame, GrantItem, GrantsPageProps } from './props.ts'
import { visible, visiblePlain } from './question/quote.ts'

/** Lists what a person allowed or denied for more than one call, each with a button to revoke it. */
export function grantsPage(frame: Frame, { grants, older }: GrantsPageProps): string {
  const holding = grants.filter(({ standing }) => standing === 'holds')
  const over = grants.filter(({ standing }) => standing !== 'holds')
  const lead =
    grants.length === 0
      ? 'You have none. What you allow or deny for more than one call is listed here.'
      : 'What you allowed or denied for more than one call. When a tool changes, what you allowed for it is suspended, and you are asked again.'
  return documentOf(
    frame,
    'Your permissions',
    markup`${heading('grant', 'Your permissions', lead)}
${holding.length > 0 && markup`<ul class="rows">${holding.map((grant) => row(frame, grant))}</ul>`}
${over.length > 0 && markup`<section class="close"><h2>No longer in force</h2><ul class="rows">${over.map((grant) => row(frame, grant))}</ul></section>`}
${older !== undefined && markup`<p><a class="button" href="${older}">Show older ones</a></p>`}`,
  )
}

const givenThrough: Readonly<Record<GrantItem['through'], string>> = {
  client: 'through a client',
  channel: 'through a channel',
  page: 'on a page',
  passkey: 'with a passkey',
}

function row(frame: Frame, grant: GrantItem): Markup {
  const { id, sentence, standing, grantedBy, through, createdAt, revokeAction } = grant
  const tag = standing === 'holds' ? markup`` : markup` <span class="tag">${standing}</span>`
  const how = givenThrough[through]
  const revoke = markup`<form method="post" action="${revokeAction}">${csrfField(frame)}<button class="destroy" aria-label="Revoke: ${visiblePlain(sentence, 2_000)}">Revoke</button></form>`
  return markup`<li id="${id}"><div><strong>${visible(sentence, 2_000)}</strong>${tag}
<p class="soft small">Given by ${visible(grantedBy)} ${how}, ${moment(frame, createdAt)}</p></div>${standing === 'holds' && revoke}</li>`
}
