import { approvePageName, unlessTheyAsk } from '../../approval/approval.ts'
import type { ClientForm } from '../../approval/question/choice-form.ts'
import { approvalIn } from '../../approval/question/subject.ts'
import { isAsked } from '../../elicitation/answering/may-answer.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import type { Revision } from '../../elicitation/form/revision.ts'
import { missingYes } from '../../elicitation/voting/count.ts'
import { type ElicitParams, formParams, urlParams } from '../../mcp/elicit-params.ts'
import { AskRefused, pendingUntil } from '../../mcp/refusal.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import { answeredUnseen, clientAnswer, isUnseen, mostTries, recordUnseen, tooManyTries, wordsFor } from '../answers.ts'
import type { RequestContext } from '../context.ts'
import { clientOf } from '../page.ts'
import { keepingAlive } from '../progress.ts'
import { push } from '../push/push.ts'
import type { Round } from '../rounds/round.ts'
import { withQuestionMeta } from './question-meta.ts'
import { answerForClient, formIn, isForPageOnly, pageClosed } from './take-approval.ts'

const perRequest = '2026-07-28'

/** An open approval, and its place in the walk. */
interface OpenApproval {
  readonly key: string
  readonly fingerprint: string
  readonly elicitation: Elicitation
}

/** Whether this request's client can be sent a question at all. */
export function canBeAskedNow({ revision, canPush }: RequestContext): boolean {
  return isPerRequest(revision) || canPush
}

/**
 * Asks through the requester's own client, by a form if it can show the whole approval, else by a page. Returns undefined
 * when the question is settled, by anybody; otherwise why this client cannot reach the approver.
 */
export async function askApprover(
  context: RequestContext,
  round: Round,
  open: OpenApproval,
): Promise<string | undefined> {
  const { elicitation } = open
  if (!isAsked(elicitation, context.person)) return 'approver-elsewhere'
  if (approvalIn(elicitation)?.decision.answer === 'inbox') return 'inbox-only'
  if (context.unseenSessions.has(context.sessionId)) return answeredUnseen
  const form = formIn(context, elicitation)
  if (isPerRequest(context.revision)) {
    const elsewhere = pendingOf(context.walk, open)?.elsewhere
    if (elsewhere !== undefined) return elsewhere
    if (form !== undefined) return putForm(context, round, open, form)
    return context.modes.url ? putPage(context, round, open) : 'approval-unaskable'
  }
  if (form !== undefined && context.canPush) {
    const end = await pushForm(context, elicitation, form)
    if (end !== 'unanswered') return end === 'settled' ? undefined : end
  }
  if (isToldByError(context)) return putIntoError(context, round, open)
  if (context.modes.url && context.canPush) {
    const end = await pushPage(context, elicitation)
    if (end !== 'unanswered') return end === 'settled' ? undefined : end
  }
  return form === undefined ? 'approval-unaskable' : 'unanswered'
}

/** How asking a 2025 client ended. `page-closed`: only a page may settle it, and the client says that its person left. */
type PushEnd = 'settled' | 'unanswered' | typeof answeredUnseen | typeof pageClosed

function putForm(context: RequestContext, round: Round, open: OpenApproval, form: ClientForm): Promise<never> {
  const { walk, assent } = context
  const { key, fingerprint, elicitation } = open
  const pending = pendingOf(walk, open)
  walk.pending[key] = { ...pending, fingerprint, record: elicitation.id, askedAt: assent.clock.now().getTime() }
  const message = pending?.problem === undefined ? form.message : `${pending.problem}\n${form.message}`
  const { params } = formParams(message, form.schema, perRequest)
  return round.put(key, withQuestionMeta(context, elicitation, params))
}

async function putPage(context: RequestContext, round: Round, open: OpenApproval): Promise<undefined> {
  const { assent, clocks, walk } = context
  const { key, fingerprint, elicitation } = open
  const { id } = elicitation
  const pending = pendingOf(walk, open) ?? { fingerprint: fingerprint, record: id }
  walk.pending[key] = { ...pending, askedAt: assent.clock.now().getTime() }
  if (pending.opened !== true) return round.put(key, pageParams(context, elicitation, perRequest))
  const seen = await round.hold(() => assent.wait(id, { timeoutMs: clocks.hold, signal: round.signal }))
  return seen.state.kind === 'open' ? round.rest() : undefined
}

/** What the walk's state holds about this question. An answer to an earlier question does not count for it. */
function pendingOf(walk: RequestContext['walk'], { key, elicitation }: OpenApproval) {
  const pending = Object.hasOwn(walk.pending, key) ? walk.pending[key] : undefined
  return pending?.record === elicitation.id ? pending : undefined
}

async function pushForm(context: RequestContext, elicitation: Elicitation, form: ClientForm): Promise<PushEnd> {
  const { revision, ctx } = context
  if (revision === undefined) return 'unanswered'
  let words = ''
  for (let tries = 1; ; tries += 1) {
    const { params, lift } = formParams(`${words}${form.message}`, form.schema, revision)
    const asked = withQuestionMeta(context, elicitation, params)
    const pushed = await keepingAlive(ctx, () => push(context, asked, elicitation))
    if (pushed.kind !== 'answered') return pushed.kind
    const given = clientAnswer(pushed.result) ?? { action: 'cancel' }
    if (isUnseen(context, pushed.waitedMs)) {
      await recordUnseen(context, elicitation.id, given.action, pushed.waitedMs)
      return answeredUnseen
    }
    const errors = await answerForClient(context, elicitation, form.schema, given, lift)
    if (errors === undefined) return 'settled'
    if (tries >= mostTries) throw tooManyTries(errors)
    words = `${wordsFor(errors)}\n`
  }
}

/** `unanswered`: the client did not say whether the person will open the page. */
async function pushPage(context: RequestContext, elicitation: Elicitation): Promise<PushEnd> {
  const { assent, revision, clocks, ctx } = context
  if (revision === undefined) return 'unanswered'
  const { id } = elicitation
  const pushed = await keepingAlive(ctx, () => push(context, pageParams(context, elicitation, revision), elicitation))
  if (pushed.kind === 'unanswered') return 'unanswered'
  if (pushed.kind === 'answered' && isUnseen(context, pushed.waitedMs)) {
    await recordUnseen(context, id, pushed.result.action, pushed.waitedMs)
    return answeredUnseen
  }
  if (pushed.kind === 'answered' && pushed.result.action !== 'accept') {
    if (isForPageOnly(elicitation)) return pageClosed
    await assent.answer(id, clientOf(context), { action: pushed.result.action })
  }
  // Accept is consent to open the page, never the answer (E11-19).
  const seen = await keepingAlive(ctx, () => assent.wait(id, { timeoutMs: clocks.question, signal: ctx.mcpReq.signal }))
  if (seen.state.kind === 'open') throw stillPending(context, seen)
  await context.complete(id)
  return 'settled'
}

function isToldByError({ modes, canPush, urlBy, assumeUrl }: RequestContext): boolean {
  return canPush ? modes.url && urlBy === 'error' : assumeUrl
}

/** With the error -32042 the client sends its person to the page, and then repeats the call (E11-23). */
function putIntoError(context: RequestContext, round: Round, { key, elicitation }: OpenApproval): Promise<never> {
  context.completeLater(elicitation.id)
  return round.put(key, urlParams(pageOf(context, elicitation), elicitation.id, '2025-11-25'))
}

function pageParams(context: RequestContext, elicitation: Elicitation, revision: Revision): ElicitParams {
  const params = urlParams(pageOf(context, elicitation), elicitation.id, revision, context.ownQuirks)
  return withQuestionMeta(context, elicitation, params)
}

function pageOf({ assent }: RequestContext, { id, question }: Elicitation) {
  return { mode: 'url', message: question.message, url: assent.linkTo(id, approvePageName) } as const
}

/**
 * Waits for an approver whom this client cannot reach; the inbox and the channels show them the question. If it is still
 * open after `clocks.hold`, the call ends as pending. The same call, made again after the yes, runs at once.
 */
export async function holdForApprover(context: RequestContext, round: Round, { id }: Elicitation): Promise<void> {
  const { assent, clocks, ctx, revision } = context
  const signal = isPerRequest(revision) ? round.signal : ctx.mcpReq.signal
  const wait = () => keepingAlive(ctx, () => assent.wait(id, { timeoutMs: clocks.hold, signal }))
  const seen = await (isPerRequest(revision) ? round.hold(wait) : wait())
  if (seen.state.kind === 'open') throw stillPending(context, seen)
}

/** The refusal of a call that is pending: tells the model whose yes it waits for, where, and until when. */
function stillPending({ assent, person }: RequestContext, elicitation: Elicitation): AskRefused {
  const { id, expiresAt } = elicitation
  const what = `This call waits for ${missingYes(elicitation, person, 'the person who uses this client')}.`
  return pendingUntil({ what, link: assent.linkTo(id, approvePageName), expiresAt, id }, 'waiting-for-approval')
}

/** The refusal of a call that nobody can approve: the client cannot ask, and the rule names no other approver. */
export async function cannotAskApprover({ assent, call }: RequestContext, { id }: Elicitation): Promise<AskRefused> {
  await assent.withdraw(id, call.requester, 'the client could not ask')
  const message = `This call needs approval by a person, and this client cannot ask for it. It was denied. Tell the person. ${unlessTheyAsk}`
  return new AskRefused('denied', message, 'cannot-ask')
}
