import { AssentError } from '../../base/errors.ts'
import { isPlainObject } from '../../base/json.ts'
import type { Answered } from '../../elicitation/answering/answered.ts'
import { type Answer, type Elicitation, longestReason } from '../../elicitation/elicitation.ts'
import { statusOf } from '../../elicitation/result.ts'
import { readTextBody } from '../http/body.ts'
import { readId } from '../question/find-question.ts'
import type { WebContext } from '../site.ts'
import { openApi } from './openapi.ts'
import { type ActingProgram, admitProgram, failed, recordTokenRefusal } from './program.ts'
import { isTheirs, notHereWords, questionInFull, questionItem, whyNotHere } from './question-view.ts'

const longestBody = 16_384
const mostListed = 200
const usualListed = 50

/** What the API can do, as OpenAPI. For everybody: it says nothing about anybody. */
export async function describeApi(c: WebContext): Promise<Response> {
  return c.json(openApi(c.var.site.origin))
}

/** What is at no address of the API. */
export async function noSuchAddress(c: WebContext): Promise<Response> {
  return failed(c, 404, 'not-found', 'There is nothing at this address. GET /api/openapi.json lists what there is.')
}

/** Whether calls are paused, and whether anything waits for the person. */
export async function status(c: WebContext): Promise<Response> {
  const program = await admitProgram(c, 'status')
  if (program instanceof Response) return program
  const { assent } = c.var.site
  const waiting = (await assent.listOpen(program, mostListed)).length
  return c.json({ paused: await assent.approvals.isPaused(), waiting, token: tokenView(program) })
}

function tokenView({ token: { name, rights, expiresAt } }: ActingProgram) {
  return { name, rights, expiresAt: expiresAt.toISOString() }
}

/** What waits for the person, most urgent first. */
export async function listQuestions(c: WebContext): Promise<Response> {
  const program = await admitProgram(c, 'list')
  if (program instanceof Response) return program
  const { assent } = c.var.site
  const limit = limitIn(c)
  if (limit === undefined) return failed(c, 400, 'bad-request', `Write a limit from 1 to ${mostListed}.`)
  const page = c.req.query('after')
  const after = readId(page)
  if (page !== undefined && after === undefined) {
    return failed(c, 400, 'bad-request', 'Write as "after" what the page before gave as "next".')
  }
  const open = await assent.listOpen(program, limit, after)
  const last = open.at(-1)
  return c.json({
    questions: open.map((asked) => questionItem(asked, program, linkTo(c, asked))),
    ...(open.length === limit && last && { next: last.id }),
  })
}

function limitIn(c: WebContext): number | undefined {
  const text = c.req.query('limit') ?? String(usualListed)
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return limit >= 1 && limit <= mostListed ? limit : undefined
}

/** One question that the person was asked. Anybody else's is not there. */
export async function oneQuestion(c: WebContext): Promise<Response> {
  const program = await admitProgram(c, 'list')
  if (program instanceof Response) return program
  const asked = await find(c)
  if (!isTheirs(asked, program)) return notThere(c, program)
  return c.json(questionInFull(asked, program, linkTo(c, asked)))
}

/** A yes to this one call, or a no. It counts as `channel`: for no rule that wants a page or a passkey. */
export async function answerOne(c: WebContext): Promise<Response> {
  const program = await admitProgram(c, 'answer')
  if (program instanceof Response) return program
  const given = await readAnswer(c)
  if (given instanceof Response) return given
  const asked = await find(c)
  if (!isTheirs(asked, program)) return notThere(c, program)
  const whyNot = whyNotHere(asked, program)
  const link = linkTo(c, asked)
  if (whyNot !== undefined) {
    await recordTokenRefusal(c, program.token, whyNot, asked.id)
    const isForbidden = whyNot === 'own-question' || whyNot === 'needs-page'
    return failed(c, isForbidden ? 403 : 409, whyNot, notHereWords[whyNot], { link, status: statusOf(asked) })
  }
  const { assent } = c.var.site
  const { token, participant, groups } = program
  // Recorded first, so that no program answers for anybody without the audit knowing which.
  await assent.record({
    kind: 'token-used',
    who: participant,
    about: asked.id,
    data: { token: token.id, choice: given.action === 'accept' ? 'allow_once' : 'deny' },
  })
  try {
    return endOf(c, await assent.answer(asked.id, { participant, groups, via: 'channel' }, given), link)
  } catch (error) {
    if (!(error instanceof AssentError)) throw error
    if (error.code === 'channel_refused') return failed(c, 403, 'needs-page', error.message, { link })
    if (error.code === 'not_found' || error.code === 'participant_mismatch') return notThere(c, program)
    throw error
  }
}

function endOf(c: WebContext, answered: Answered, link: string): Response {
  switch (answered.kind) {
    case 'kept':
      return c.json({ status: statusOf(answered.elicitation) })
    case 'counted':
      return c.json({ status: 'pending', detail: 'The vote counts. Others must answer too.' }, 202)
    case 'late':
      return failed(c, 409, 'settled', notHereWords.settled, { status: statusOf(answered.elicitation) })
    case 'delegated':
    case 'invalid':
      return failed(c, 409, 'no-approval', 'This cannot be answered here. Open its page.', { link })
  }
}

async function readAnswer(c: WebContext): Promise<Answer | Response> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
    return failed(c, 415, 'bad-request', 'Send JSON, with Content-Type: application/json.')
  }
  const text = await readTextBody(c.req.raw, longestBody)
  if (text === undefined) return failed(c, 413, 'bad-request', `Send ${longestBody} bytes at most.`)
  const body = parsed(text)
  const wrong = () =>
    failed(
      c,
      400,
      'bad-request',
      'Send { "choice": "allow_once" } or { "choice": "deny" }, and a "reason" if you like.',
    )
  if (!isPlainObject(body) || Object.keys(body).some((key) => key !== 'choice' && key !== 'reason')) return wrong()
  const { choice, reason } = body
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > longestReason)) return wrong()
  const said = reason === undefined ? {} : { reason }
  if (choice === 'deny') return { action: 'decline', ...said }
  return choice === 'allow_once' ? { action: 'accept', content: { choice, ...said } } : wrong()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function find(c: WebContext): Promise<Elicitation | undefined> {
  const id = readId(c.req.param('id'))
  return id && c.var.site.assent.get(id)
}

/** The same for a question that is not there and for one that is somebody else's. */
async function notThere(c: WebContext, { token }: ActingProgram): Promise<Response> {
  await recordTokenRefusal(c, token, 'not-theirs')
  return failed(c, 404, 'not-found', 'There is no such question for this person.')
}

function linkTo(c: WebContext, { id }: Pick<Elicitation, 'id'>): string {
  return `${c.var.site.assent.pages.publicUrl}/inbox?open=${encodeURIComponent(id)}`
}
