import { Hono } from 'hono'
import { callNow } from '../../approval/question/page-form.ts'
import { approvalIn } from '../../approval/question/subject.ts'
import { doneWords, standingWords } from '../../approval/question/voting-words.ts'
import { cannotTellApart } from '../../base/text/names.ts'
import { isAsked } from '../../elicitation/answering/may-answer.ts'
import { type Elicitation, isSettled } from '../../elicitation/elicitation.ts'
import { namedClient } from '../../participant/requester.ts'
import { endWords, type InboxPlace, inboxPath, readList, rowOf, whatOf } from '../inbox/inbox-rows.ts'
import { ownEvents } from '../inbox/own-events.ts'
import { rowAnswer, rowArguments } from '../inbox/row-answer.ts'
import { becameIn, becameWords } from '../inbox/several.ts'
import { historyPage } from '../pages/inbox/history-page.ts'
import { inboxPage } from '../pages/inbox/inbox-page.ts'
import type { InboxRow } from '../pages/inbox-props.ts'
import type { Sheet } from '../pages/layout/frame.ts'
import { externalSheet } from '../pages/question/external-page.ts'
import { settledSheet } from '../pages/question/settled-page.ts'
import { needsPasskey } from '../passkey/passkey-need.ts'
import { findQuestion, isRequesterOrAsked, readId } from '../question/find-question.ts'
import { customPageOf, prepareQuestion, questionFacts, questionSheet, settledProps } from '../question/question-page.ts'
import { questionPath } from '../question/question-path.ts'
import { frameFor } from '../render.ts'
import type { WebContext, WebEnv } from '../site.ts'
import { admit } from '../viewer/admit.ts'
import { viewerOf } from '../viewer/find-viewer.ts'
import type { Viewer } from '../viewer/viewer.ts'

/** The inbox: a person's open questions, answered in place and updated live; and how earlier ones ended. */
export const inboxRoutes = () =>
  new Hono<WebEnv>()
    .get('/', (c) => c.redirect('/inbox', 303))
    .get('/inbox', show)
    .get('/inbox/history', history)
    .get('/inbox/events', events)

const mostPast = 50
const mostSearched = 2_000
const settling = new Set(['question-answered', 'question-expired', 'question-withdrawn', 'question-failed'])

async function show(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const { assent } = c.var.site
  const place = placeIn(c)
  const { total, clients, next } = await readList(assent, viewer, place)
  // What this page had was answered since.
  if (clients.length === 0 && total > 0) return c.redirect('/inbox', 303)
  const isSelecting = c.req.query('select') !== undefined
  const asked = isSelecting ? undefined : await findQuestion(c, viewer, readId(c.req.query('open')))
  const elsewhere = asked && ownPageOf(c, asked)
  if (elsewhere !== undefined) return c.redirect(elsewhere, 303)

  c.set('isLive', true)
  if (asked) await prepareQuestion(c, asked, viewer)
  const done = await doneIn(c, viewer)
  const note = rowNote(clients.flatMap(({ shown }) => shown))
  const props = {
    groups: clients.map(({ key, shown, all }) => {
      const rows = shown.map((one) => ({ ...rowOf(one, viewer, place), ...inRow(c, one, viewer) }))
      const { asker, requester } = rows[0] as InboxRow
      return {
        asker,
        rows,
        ...(requester !== undefined && { requester }),
        ...(all !== undefined && { all: { count: all, href: inboxPath({ of: key }) } }),
      }
    }),
    total,
    isFirst: place.of === undefined && place.after === undefined,
    here: inboxPath(place),
    ...(next && { older: inboxPath(next) }),
    isOver: asked !== undefined && isSettled(asked),
    isPaused: await assent.approvals.isPaused(),
    ...(asked && { openId: asked.id }),
    ...(done.length > 0 && { done }),
    ...(isSelecting && { isSelecting }),
    ...(total > 1 && { selectHref: inboxPath({ ...place, select: true }) }),
    ...(note !== undefined && { note }),
  }
  return c.html(inboxPage(frameFor(c), props, asked && sheetOf(c, asked, viewer)))
}

/** The part of the inbox that the address names. */
function placeIn(c: WebContext): InboxPlace {
  const of = c.req.query('of')
  const after = readId(c.req.query('after'))
  return { ...(of !== undefined && /^[\w-]{1,64}$/.test(of) && { of }), ...(after && { after }) }
}

/** Said once below the list, for all rows that it is true of. */
function rowNote(shown: readonly Elicitation[]): string | undefined {
  const known = shown.flatMap((asked) => approvalIn(asked)?.call.requester ?? []).map((one) => namedClient(one).known)
  return known.map(cannotTellApart).find((note) => note !== undefined)
}

/** The arguments and buttons of an approval's row; none where the installation has its own page for approvals. */
function inRow(
  c: WebContext,
  asked: Elicitation,
  viewer: Viewer,
): Pick<InboxRow, 'arguments' | 'answer' | 'needsPasskey' | 'standing'> {
  const about = approvalIn(asked)
  const path = questionPath(c.var.site.assent.pages, asked)
  if (about === undefined || path === undefined || customPageOf(c, asked) !== undefined) return {}
  const shown = rowArguments(callNow(asked, about))
  const done = doneWords(asked, viewer)
  return {
    ...(shown && { arguments: shown }),
    ...(done === undefined && { answer: rowAnswer(asked, path), needsPasskey: needsPasskey(asked) }),
    standing: [...standingWords(asked), ...(done === undefined ? [] : [done])],
  }
}

/** The page of a question that cannot be answered beside the list. */
function ownPageOf(c: WebContext, asked: Elicitation): string | undefined {
  const { question } = asked
  if (isSettled(asked)) return undefined
  const hasOwnPage = customPageOf(c, asked) !== undefined || (question.mode === 'url' && question.connect !== undefined)
  return hasOwnPage ? questionPath(c.var.site.assent.pages, asked) : undefined
}

function sheetOf(c: WebContext, asked: Elicitation, viewer: Viewer): Sheet {
  const end = settledProps(asked, viewer, 'late')
  if (end) return settledSheet(frameFor(c), end)
  const path = questionPath(c.var.site.assent.pages, asked)
  if (path !== undefined) return questionSheet(c, asked, viewer, `${path}?from=inbox`)
  return externalSheet(frameFor(c), {
    asked: questionFacts(asked, viewer, ''),
    url: asked.question.mode === 'url' ? asked.question.url : '',
  })
}

/** What became of the questions that were just answered, as the address names them: one, or several together. */
async function doneIn(c: WebContext, viewer: Viewer): Promise<{ words: string; href: string }[]> {
  const one = readId(c.req.query('done'))
  const all = [...(one === undefined ? [] : [{ id: one, end: 'kept' as const }]), ...becameIn(c)]
  const found = await Promise.all(
    all.map(async ({ id, end }) => {
      const asked = await findQuestion(c, viewer, id)
      const href = asked && questionPath(c.var.site.assent.pages, asked)
      // A single answer brings the person here only when it settled its question.
      if (asked === undefined || href === undefined || (id === one && !isSettled(asked))) return []
      const words = becameWords(asked, end, viewer, { what: whatOf(asked), ended: endWords(asked, viewer) })
      return [{ words, href: isSettled(asked) ? href : `/inbox?open=${id}` }]
    }),
  )
  return found.flat()
}

/** The audit knows which questions were settled last. Those that were deleted since are left out. */
async function history(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const { assent } = c.var.site
  const latest = await ownEvents(assent.store.audit, viewer.participant, mostSearched)
  const ids = new Set(latest.flatMap(({ kind, about }) => (settling.has(kind) ? (readId(about) ?? []) : [])))
  const found = await Promise.all(
    [...ids].slice(0, mostPast).map((id) => findQuestion(c, viewer, id, isRequesterOrAsked)),
  )
  const rows = found.flatMap((asked) => {
    const end = asked && endWords(asked, viewer)
    if (asked === undefined || end === undefined || asked.state.kind === 'open') return []
    const { what, server, asker } = rowOf(asked, viewer)
    const href = isAsked(asked, viewer) ? questionPath(assent.pages, asked) : undefined
    return [{ what, server, asker, end, at: asked.state.at, ...(href !== undefined && { href }) }]
  })
  return c.html(historyPage(frameFor(c), { rows }))
}

async function events(c: WebContext): Promise<Response> {
  const viewer = await viewerOf(c)
  if (viewer === undefined) return c.text('This browser is not signed in or enrolled.', 403)
  const stream = c.var.site.streams.open(viewer)
  if (stream === undefined) return c.text('This person has too many inboxes open. Close one.', 429)
  return c.body(stream, 200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
}
