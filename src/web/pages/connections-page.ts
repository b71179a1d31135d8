import { csrfField, documentOf, heading } from './layout/frame.ts'
import { type Markup, markup } from './layout/markup.ts'
import { day } from './layout/times.ts'
import type { ConnectionsPageProps, Frame } from './props.ts'
import { visible, visiblePlain } from './question/quote.ts'

/** Lists the accounts that a person has connected, with buttons to disconnect them, and those they could connect. */
export function connectionsPage(frame: Frame, { connections, others }: ConnectionsPageProps): string {
  const lead =
    connections.length === 0
      ? 'No account is connected. When a tool needs one, you are asked first.'
      : 'Tools use these accounts for you. The access to them is stored encrypted.'
  return documentOf(
    frame,
    'Your connections',
    markup`${heading('connect', 'Your connections', lead)}
${connections.length > 0 && markup`<ul class="rows">${connections.map((connection) => row(frame, connection))}</ul>`}
${others.length > 0 && markup`<section class="close"><h2>Accounts you can connect</h2><ul class="rows">${others.map(other)}</ul></section>`}`,
  )
}

function row(frame: Frame, connection: ConnectionsPageProps['connections'][number]): Markup {
  const { title, account, scopes, standing, connectedAt, issuedBy, disconnectAction } = connection
  return markup`<li><div><strong>${visible(title)}</strong>${standing === 'refused' && markup` <span class="tag warn">Needs you to sign in again</span>`}
<p class="soft small">Connected ${day(frame, connectedAt)}${account !== undefined && markup` as ${visible(account)}`}</p>
${issuedBy !== undefined && markup`<p class="small soft">Signed in at <span class="code">${visible(issuedBy.issuer, 200)}</span></p><p class="small soft">For <span class="code">${visible(issuedBy.resource, 200)}</span></p>`}
${scopes.length > 0 && markup`<p class="small code soft">${visible(scopes.join(' '), 400)}</p>`}</div>
<form method="post" action="${disconnectAction}">${csrfField(frame)}<button class="destroy" aria-label="Disconnect ${visiblePlain(title)}">Disconnect</button></form></li>`
}

function other({ title, href }: ConnectionsPageProps['others'][number]): Markup {
  return markup`<li><strong>${visible(title)}</strong><a class="button" href="${href}" aria-label="Connect ${visiblePlain(title)}">Connect</a></li>`
}
