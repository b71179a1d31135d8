import type { InboxGroup, InboxPageProps, InboxRow } from '../inbox-props.ts'
import { exactName, exactText } from '../layout/exact-text.ts'
import { csrfField, documentOf, heading, type Sheet } from '../layout/frame.ts'
import { icons } from '../layout/icons.ts'
import { constant, type Markup, markup } from '../layout/markup.ts'
import { ago, timeLeft } from '../layout/times.ts'
import { type Frame, posted, postedName } from '../props.ts'
import { visible, visiblePlain } from '../question/quote.ts'
import { inboxScript } from './inbox-script.ts'
import { inboxStyle } from './inbox-style.ts'

/** Lists a person's open questions by client, newest first. An opened question is beside the list on a wide screen. */
export function inboxPage(frame: Frame, props: InboxPageProps, open?: Sheet): string {
  const { total } = props
  const title = total === 0 ? 'Inbox' : `Inbox (${total})`
  return documentOf(frame, title, markup`${list(frame, props)}${open !== undefined && beside(props, open)}`, {
    style: inboxStyle,
    script: [inboxScript, open?.script ?? ''].join('\n'),
    layout: open === undefined ? 'inbox' : 'inbox has-open',
    // Only without an opened question: reloading would lose what is being typed or selected.
    ...(open === undefined &&
      !props.isSelecting && {
        head: constant('<noscript><meta http-equiv="refresh" content="20"></noscript>\n'),
      }),
  })
}

function list(frame: Frame, props: InboxPageProps): Markup {
  const { total, done, isPaused, isFirst } = props
  const lead =
    total === 0 ? 'Nothing is waiting for you. When a tool needs your answer, it shows up here.' : waitingWords(props)
  return markup`<div class="sheet stack list" id="list">
${heading(total === 0 ? 'done' : 'inbox', 'Your inbox', markup`<span id="count" role="status">${lead}</span>`, total === 0 ? 'good' : '')}
${isPaused && markup`<div class="warning">${icons.warning}<p>Everything is paused. No tool runs until somebody resumes it with <code>assent resume</code>.</p></div>`}
${doneList(done)}
${answerForm(frame)}
${!isFirst && markup`<p class="other"><a href="/inbox">Newest questions of all clients</a></p>`}
<ul class="waiting" id="waiting">${props.groups.map((group) => drawGroup(frame, group, props))}${older(props)}</ul>
${props.note !== undefined && markup`<p class="soft small">${props.note}</p>`}
${selecting(props)}
<p class="soft small">${total > 0 && markup`<span class="keys">Keys: <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>a</kbd> allows, <kbd>d</kbd> denies. </span>`}<a href="/inbox/history">Earlier questions</a></p>
</div>`
}

/** What became of the answers that were just given. */
function doneList(done: InboxPageProps['done'] = []): Markup {
  if (done.length === 0) return markup``
  const items = done.map(
    ({ words, href }) => markup`<li>${visible(words, 300)} <a href="${href}">See what happened</a></li>`,
  )
  return markup`<ul class="done">${items}</ul>`
}

/** Where questions are selected, what shows them in full; else what begins selecting. Works without scripts. */
function selecting({ isSelecting, selectHref, here }: InboxPageProps): Markup {
  if (isSelecting) {
    return markup`<form id="${severalFormId}" method="get" action="/inbox/several"><div class="answers pick"><a class="button" href="${here}">Cancel</a><button class="accept">Show the selected</button></div></form>`
  }
  return selectHref === undefined ? markup`` : markup`<p class="other"><a href="${selectHref}">Select several</a></p>`
}

const severalFormId = 'several'

function waitingWords({ total, groups }: InboxPageProps): string {
  const waiting = total === 1 ? 'One question is waiting' : `${total} questions are waiting`
  const isRanked = groups.some(({ rows }) => rows.some(({ priority }) => priority !== undefined))
  const newest = groups.length > 1 ? 'the newest of each client' : 'the newest'
  const order = isRanked ? `the most urgent first, then ${newest}` : `${newest} first`
  return `${waiting} for your answer${total === 1 ? '' : `, ${order}`}.`
}

/** The client is named where the list has questions of several, or of one out of several. */
function drawGroup(
  frame: Frame,
  group: InboxGroup,
  { groups, isFirst, openId, isSelecting = false }: InboxPageProps,
): Markup {
  const { rows, all, asker, requester } = group
  const name = markup`<li class="client"><h2>Asked by ${visible(asker, 1_000)}${requester !== undefined && markup` for ${visible(requester)}`}</h2></li>`
  return markup`${(groups.length > 1 || !isFirst) && name}${rows.map((row) => drawRow(frame, row, row.id === openId, isSelecting))}${all !== undefined && markup`<li class="more"><a href="${all.href}">All ${String(all.count)} questions of this client</a></li>`}`
}

/** Part of the list, because the script replaces the list when something changes. */
function older({ older: href, groups }: InboxPageProps): Markup {
  if (href === undefined) return markup``
  const words = groups.length > 1 ? 'Clients that asked earlier' : 'Older questions'
  return markup`<li class="more"><a href="${href}">${words}</a></li>`
}

/** One form answers every row: each button posts to the page of its own question. A yes covers that call only. */
function answerForm(frame: Frame): Markup {
  return markup`<form id="${answerFormId}" method="post" hidden>${csrfField(frame)}<input type="hidden" name="${postedName('choice')}" value="allow_once"></form>`
}

const answerFormId = 'answer'

/** The link covers the whole row, so that a click anywhere but on a button opens the question. */
function drawRow(frame: Frame, row: InboxRow, isOpen: boolean, isSelecting: boolean): Markup {
  const { server, asker, requester, what, createdAt, expiresAt, href } = row
  const open = isOpen ? 'Opened' : 'Open'
  return markup`<li class="row"${isOpen && markup` data-current`}><p class="what"><span><strong>${visible(what, 120)}</strong>${priorityTag(row)}</span><span class="small soft">${timeLeft(frame, expiresAt)} left</span></p>
<p class="small soft">${visible(server)}, asked by ${visible(asker, 1_000)}${requester !== undefined && markup` for ${visible(requester)}`} · ${ago(frame, createdAt)}</p>
${about(row)}${row.standing?.map((words) => markup`<p class="small soft">${words}</p>`)}${row.left !== undefined && markup`<p class="small soft">${row.left}</p>`}${row.needsPasskey && markup`<p class="small soft">To allow it, open it and use your passkey.</p>`}
<div class="do"><a href="${href}"${isOpen && markup` aria-current="true"`} aria-label="${open}: ${visiblePlain(what)}">${open}</a>${!isOpen && (isSelecting ? selectBox(row) : answers(row))}</div></li>`
}

function priorityTag({ priority }: InboxRow): Markup {
  if (priority === undefined) return markup``
  const word = `${priority.charAt(0).toUpperCase()}${priority.slice(1)}`
  return markup` <span class="tag${priority !== 'low' && markup` warn`}">${word}</span>`
}

function selectBox({ id, what, answer }: InboxRow): Markup {
  if (answer === undefined) return markup``
  return markup`<label class="choice"><input type="checkbox" form="${severalFormId}" name="${posted.question}" value="${id}" aria-label="Select: ${visiblePlain(what)}"><span aria-hidden="true">Select</span></label>`
}

const mostOfLine = 120

function about({ line, arguments: given, answer }: InboxRow): Markup {
  if (given === undefined) {
    const start = line !== '' && markup`<p class="line code soft">${visible(line, mostOfLine)}</p>`
    const more = answer !== undefined && markup`<p class="small soft">Open it to see all that would run.</p>`
    return markup`${start}${more}`
  }
  if (given.length === 0) return markup`<p class="small soft">No arguments</p>`
  return markup`<ul class="code soft">${given.map(({ name, value }) => markup`<li>${exactName(name)}: ${exactText(value)}</li>`)}</ul>`
}

function answers({ what, answer }: InboxRow): Markup {
  if (answer === undefined) return markup``
  const button = (word: string, value: 'accept' | 'decline', action: string) =>
    markup`<button form="${answerFormId}" formaction="${action}" name="${posted.answer}" value="${value}" aria-label="${word}: ${visiblePlain(what)}">${word}</button>`
  return markup`${button('Deny', 'decline', answer.deny)}${answer.allow !== undefined && button('Allow once', 'accept', answer.allow)}`
}

function beside({ openId, isOver, here }: InboxPageProps, { body }: Sheet): Markup {
  return markup`<section class="sheet stack open" id="open" aria-label="The open question" data-open="${openId}" data-over="${String(isOver)}"><p class="back"><a href="${here}">Back to the inbox</a></p>
${body}</section>`
}
