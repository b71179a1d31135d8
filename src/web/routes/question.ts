import { Hono } from 'hono'
import { formNow, seenNow, shownNow } from '../../approval/question/page-form.ts'
import { approvalIn } from '../../approval/question/subject.ts'
import { type Answer, type Elicitation, isSettled } from '../../elicitation/elicitation.ts'
import { tooMany } from '../http/entrance.ts'
import { readPost } from '../http/post.ts'
import { posted } from '../pages/props.ts'
import { answeringHere, needsPasskey } from '../passkey/passkey-need.ts'
import { findQuestion, readId } from '../question/find-question.ts'
import { postedAnswer } from '../question/posted-answer.ts'
import { postedApproval } from '../question/posted-approval.ts'
import { customPageOf, endPage, isFromInbox, prepareQuestion, questionPage } from '../question/question-page.ts'
import { questionPath } from '../question/question-path.ts'
import { notice } from '../render.ts'
import type { Site, WebContext, WebEnv } from '../site.ts'
import { admit } from '../viewer/admit.ts'
import type { Viewer } from '../viewer/viewer.ts'

/** Shows one question and takes its answer, for those who were asked. */
export const questionRoutes = ({ assent: { pages } }: Site) =>
  new Hono<WebEnv>()
    .get(`/${pages.prefix}/:id/:page`, show)
    .post(`/${pages.prefix}/:id/:page`, answer)
    .post(`/${pages.prefix}/:id/:page/sign`, sign)

async function show(c: WebContext): Promise<Response> {
  const opened = await open(c)
  if (opened instanceof Response) return opened
  const { asked, viewer } = opened
  return c.html(endPage(c, asked, viewer) ?? questionPage(c, asked, viewer, actionOf(c)))
}

async function answer(c: WebContext): Promise<Response> {
  const opened = await open(c)
  if (opened instanceof Response) return opened
  const { asked, viewer } = opened
  const form = await readPost(c, viewer, asked.id)
  if (form instanceof Response) return form
  if (isSettled(asked)) return late(c, asked, viewer)

  const given = (await customPageOf(c, asked)?.read(form, asked)) ?? readAnswer(form, asked)
  if (given.action === 'accept' && !wasShown(c, form, asked)) {
    return c.html(questionPage(c, asked, viewer, actionOf(c), { form, errors: [notShown] }), 409)
  }
  const here = answeringHere(viewer, isFromInbox(c) ? 'inbox' : 'page', form, asked, given)
  // A page of the installation's own says what it showed, or its yes is for what was asked for.
  const answering = { ...here, ...(isAsShown(c, form, asked) && seenNow(asked)) }
  const answered = await c.var.site.assent.answer(asked.id, answering, given)
  switch (answered.kind) {
    case 'counted':
    case 'delegated':
      return c.redirect(isFromInbox(c) ? `/inbox?open=${asked.id}` : c.req.path, 303)
    case 'kept':
      // Redirected, so that reloading the page does not post the answer again.
      return c.redirect(isFromInbox(c) ? `/inbox?done=${asked.id}` : c.req.path, 303)
    case 'late':
      return late(c, answered.elicitation, viewer)
    case 'invalid':
      return c.html(questionPage(c, asked, viewer, actionOf(c), { form, errors: answered.errors }), 422)
  }
}

/** What a person signs for the answer in the posted form, for the script of the page. */
async function sign(c: WebContext): Promise<Response> {
  const opened = await open(c, '/sign')
  if (opened instanceof Response) return opened
  const { asked, viewer } = opened
  const form = await readPost(c, viewer, asked.id)
  if (form instanceof Response) return form
  const given = readAnswer(form, asked)
  if (!needsPasskey(asked) || given.action !== 'accept' || !wasShown(c, form, asked)) return c.json({}, 409)
  const begun = await c.var.site.assent.beginSigning(asked.id, viewer, given)
  // The page says what is wrong when the form is posted as it is.
  return begun.kind === 'signing' ? c.json(begun.signing) : c.json({}, 409)
}

const notShown = { field: '', message: 'You were shown another question than this one. Read it before you answer.' }

/** A yes to an approval counts only for the question that its page, or its row in the inbox, showed. */
function wasShown(c: WebContext, form: FormData, asked: Elicitation): boolean {
  if (approvalIn(asked) === undefined || customPageOf(c, asked) !== undefined) return true
  return isAsShown(c, form, asked)
}

function isAsShown(c: WebContext, form: FormData, asked: Elicitation): boolean {
  return (form.get(posted.shown) ?? c.req.query(posted.shown)) === shownNow(asked)
}

function late(c: WebContext, elicitation: Elicitation, viewer: Viewer): Response | Promise<Response> {
  return c.html(endPage(c, elicitation, viewer, 'late') as string, 409)
}

interface Opened {
  readonly asked: Elicitation
  readonly viewer: Viewer
}

/** Checks that this person may see this question; otherwise returns the response that refuses it. */
async function open(c: WebContext, below = ''): Promise<Opened | Response> {
  const id = readId(c.req.param('id'))
  const viewer = await admit(c, id)
  if (viewer instanceof Response) return viewer
  const seconds = id && c.var.site.rates.question(viewer.participant, id)
  if (seconds) return tooMany(c, seconds)

  const asked = await findQuestion(c, viewer, id)
  const path = asked && questionPath(c.var.site.assent.pages, asked)
  if (asked === undefined || path === undefined) return notice(c, 404, { kind: 'not-found' })
  if (`${path}${below}` !== c.req.path) return c.redirect(path, 303)
  await prepareQuestion(c, asked, viewer)
  return { asked, viewer }
}

function readAnswer(form: FormData, asked: Elicitation): Answer {
  const { schema } = asked.question
  return approvalIn(asked) && schema ? postedApproval(form, formNow(asked, schema)) : postedAnswer(form, asked)
}

const actionOf = (c: WebContext) => (isFromInbox(c) ? `${c.req.path}?from=inbox` : c.req.path)
