import { Hono } from 'hono'
import { seenNow, shownNow } from '../../approval/question/page-form.ts'
import { AssentError } from '../../base/errors.ts'
import type { Answer, Elicitation, ElicitationId } from '../../elicitation/elicitation.ts'
import { tooMany } from '../http/entrance.ts'
import { readPost } from '../http/post.ts'
import { whatOf } from '../inbox/inbox-rows.ts'
import { type Became, becameQuery, mostTogether, notTogether, whyLeftOut } from '../inbox/several.ts'
import { severalPage } from '../pages/inbox/several-page.ts'
import type { SeveralItem } from '../pages/inbox-props.ts'
import { type ApprovalPageProps, posted, postedName, shownOf } from '../pages/props.ts'
import { approvalProps } from '../question/approval.ts'
import { findQuestion, readId } from '../question/find-question.ts'
import { postedAction } from '../question/posted-answer.ts'
import { customPageOf, questionFacts } from '../question/question-page.ts'
import { frameFor } from '../render.ts'
import type { WebContext, WebEnv } from '../site.ts'
import { admit } from '../viewer/admit.ts'
import type { Viewer } from '../viewer/viewer.ts'

/** Answers several questions of the inbox together, each on its own record. */
export const severalRoutes = () => new Hono<WebEnv>().get('/inbox/several', show).post('/inbox/several', answer)

/** Shows each of the selected questions in full. */
async function show(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const ids = idsIn(c.req.queries(posted.question) ?? [])
  if (ids.length === 0) return c.redirect('/inbox?select=1', 303)
  const refused = await tooOften(c, viewer, ids)
  if (refused !== undefined) return refused

  const items: SeveralItem[] = []
  const missing: string[] = []
  for (const id of ids.slice(0, mostTogether)) {
    const asked = await findQuestion(c, viewer, id)
    const problem = notTogether(asked, viewer, asked !== undefined && customPageOf(c, asked) !== undefined)
    if (asked === undefined || problem !== undefined) {
      missing.push(`${asked === undefined ? 'One of the questions' : whatOf(asked)}: ${problem}`)
    } else items.push(itemOf(asked, viewer))
  }
  if (ids.length > mostTogether) {
    missing.push(`Only ${mostTogether} questions can be answered together. ${ids.length - mostTogether} are left out.`)
  }
  return c.html(severalPage(frameFor(c), { items, missing, action: '/inbox/several' }))
}

function itemOf(asked: Elicitation, viewer: Viewer): SeveralItem {
  const leftOut = whyLeftOut(asked)
  const approval = approvalProps(asked, viewer, questionFacts(asked, viewer, '')) as ApprovalPageProps
  return { id: asked.id, approval, href: `/inbox?open=${asked.id}`, ...(leftOut !== undefined && { leftOut }) }
}

/** Answers each of the ticked questions on its own record. What became of each is said in the inbox. */
async function answer(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const ids = idsIn(form.getAll(posted.question)).slice(0, mostTogether)
  const action = postedAction(form)
  if (ids.length === 0 || action === 'cancel') return c.redirect('/inbox', 303)
  const refused = await tooOften(c, viewer, ids)
  if (refused !== undefined) return refused

  const ends: [ElicitationId, Became][] = []
  // One after the other: two of them may be about the same thing.
  for (const id of ids) ends.push([id, await answerOne(c, viewer, form, id)])
  return c.redirect(`/inbox?${becameQuery(ends)}`, 303)
}

async function answerOne(c: WebContext, viewer: Viewer, form: FormData, id: ElicitationId): Promise<Became> {
  const { site } = c.var
  try {
    const asked = await findQuestion(c, viewer, id)
    if (asked === undefined || notTogether(asked, viewer, customPageOf(c, asked) !== undefined)) return 'late'
    const isYes = postedAction(form) === 'accept'
    // Nobody says yes to what they were not shown, nor together with others to what is a decision of its own.
    if (isYes && form.get(shownOf(id)) !== shownNow(asked)) return 'changed'
    if (isYes && whyLeftOut(asked) !== undefined) return 'left'
    const { participant, groups } = viewer
    const answering = { participant, groups, via: 'inbox', ...seenNow(asked) } as const
    const { kind } = await site.assent.answer(id, answering, isYes ? yes(form) : no(form))
    return kind === 'invalid' || kind === 'delegated' ? 'changed' : kind
  } catch (error) {
    // What was answered before stays answered, so the others are told of, whatever became of this one.
    if (!(error instanceof AssentError)) site.onError(error)
    return 'failed'
  }
}

const yes = (form: FormData): Answer => ({ action: 'accept', content: { choice: 'allow_once', ...reasonIn(form) } })

const no = (form: FormData): Answer => ({ action: 'decline', ...reasonIn(form) })

function reasonIn(form: FormData): { readonly reason?: string } {
  const reason = form.get(postedName('reason'))
  return typeof reason === 'string' && reason.trim() !== '' ? { reason: reason.trim() } : {}
}

function idsIn(given: readonly unknown[]): ElicitationId[] {
  return [...new Set(given.flatMap((one) => (typeof one === 'string' ? (readId(one) ?? []) : [])))]
}

/** Each question counts as if it were opened or answered alone. */
async function tooOften(c: WebContext, { participant }: Viewer, ids: readonly ElicitationId[]) {
  for (const id of ids.slice(0, mostTogether)) {
    const seconds = c.var.site.rates.question(participant, id)
    if (seconds) return tooMany(c, seconds)
  }
  return undefined
}
