import { setTimeout as sleep } from 'node:timers/promises'
import { type ElicitResult, SdkError, SdkErrorCode } from '@modelcontextprotocol/server'
import { approvePageName } from '../../approval/approval.ts'
import { type Answer, type Elicitation, type ElicitationId, isSettled } from '../../elicitation/elicitation.ts'
import type { Revision } from '../../elicitation/form/revision.ts'
import { type ElicitParams, formParams, urlParams } from '../../mcp/elicit-params.ts'
import { AskRefused, pendingUntil } from '../../mcp/refusal.ts'
import {
  answeredUnseen,
  clientAnswer,
  isUnseen,
  mostTries,
  recordUnseen,
  refusalIn,
  tooManyTries,
  wordsFor,
} from '../answers.ts'
import type { RequestContext } from '../context.ts'
import type { AskedForm } from '../form.ts'
import { clientOf, openPage, type PageAsk } from '../page.ts'
import { keepingAlive } from '../progress.ts'
import { type CallQuestion, callQuestion, takeEarlier, useAnswer } from '../waiting/same-call.ts'

const readyMs = 5_000

/** How a pushed question ended: answered by the client, settled elsewhere in the meantime, or not answered by this client. */
export type Pushed =
  | { readonly kind: 'answered'; readonly result: ElicitResult; readonly waitedMs: number }
  | { readonly kind: 'settled'; readonly elicitation: Elicitation }
  | { readonly kind: 'unanswered' }

/** Why a question is asked elsewhere: this client did not answer it, or answered without showing it to anybody. */
export type NotAsked = 'unanswered' | typeof answeredUnseen

/** Asks a 2025 client by a form, and waits. */
export async function pushForm(
  context: RequestContext,
  revision: Revision,
  key: string,
  form: AskedForm,
  isYes: boolean,
): Promise<{ value: unknown } | NotAsked> {
  const { assent, call, name, clocks } = context
  const question = callQuestion(context, key, form)
  const earlier = await takeEarlier(context, question)
  if (earlier !== undefined) return readElsewhere(form, earlier.data ?? {})
  const { elicitation } = await assent.ask({
    question: { mode: 'form', message: form.message, schema: form.schema },
    purpose: isYes ? 'confirm' : 'input',
    type: question.type,
    origin: { server: name },
    requester: call.requester,
    about: question.about,
    expiresInMs: clocks.question,
  })
  context.attend(elicitation.id)

  let message = form.message
  for (let tries = 1; ; tries++) {
    const { params, lift } = formParams(message, form.schema, revision)
    let pushed = await keepingAlive(context.ctx, () => push(context, params, elicitation))
    if (pushed.kind === 'unanswered') {
      // In the inbox it can still be answered.
      if (context.inbox()) return 'unanswered'
      const last = await assent.withdraw(elicitation.id, call.requester, 'the client did not answer')
      if (last.state.kind !== 'answered') return 'unanswered'
      // It was answered elsewhere at the last moment.
      pushed = { kind: 'settled', elicitation: last }
    }
    if (pushed.kind === 'answered' && (await isNobodys(context, elicitation.id, pushed))) return answeredUnseen
    const settled =
      pushed.kind === 'settled' ? pushed.elicitation : await answeredBy(context, elicitation.id, pushed, form, lift)
    if ('errors' in settled) {
      if (tries >= mostTries) {
        await assent.withdraw(elicitation.id, call.requester, 'no answer fitted the form')
        throw tooManyTries(settled.errors)
      }
      message = `${form.message}\n\n${wordsFor(settled.errors)}`
      continue
    }
    await useAnswer(context, question, settled, isYes)
    const refusal = refusalIn(settled)
    if (refusal !== undefined) throw refusal
    return readElsewhere(form, contentOf(settled))
  }
}

/** Reads an answer that is settled. The author's schema may be stricter than the form, and a settled question stays settled. */
async function readElsewhere(form: AskedForm, content: unknown): Promise<{ value: unknown }> {
  const read = await form.read(content)
  if (read.kind === 'valid') return { value: read.value }
  throw tooManyTries(read.errors)
}

/**
 * Whether a client said no, or left, without showing the question to anybody. Where there is an inbox, the question goes on
 * there. An accept counts: the person may have installed a hook that fills in forms for them.
 */
async function isNobodys(
  context: RequestContext,
  id: ElicitationId,
  { result, waitedMs }: Extract<Pushed, { kind: 'answered' }>,
): Promise<boolean> {
  if (result.action === 'accept' || !context.inbox() || !isUnseen(context, waitedMs)) return false
  await recordUnseen(context, id, result.action, waitedMs)
  return true
}

/** Asks a 2025-11-25 client to send the person to a page, and waits until the person has finished there. */
export async function pushPage(
  context: RequestContext,
  revision: Revision,
  asked: CallQuestion,
  ask: PageAsk,
): Promise<Elicitation | NotAsked> {
  const { assent, clocks, ctx } = context
  const { id, question } = await openPage(context, asked, ask)
  const pushed = await push(context, urlParams(question, id, revision, context.ownQuirks), { id })
  if (pushed.kind === 'unanswered') {
    if (context.inbox()) return 'unanswered'
    await assent.withdraw(id, context.call.requester, 'the client did not answer')
    assent.events.tell({ kind: 'fallback', server: context.name, reason: 'unanswered' })
    throw new AskRefused('expired', 'The client did not say whether the person will open the page.', 'unanswered')
  }
  if (pushed.kind === 'answered' && context.inbox() && isUnseen(context, pushed.waitedMs)) {
    await recordUnseen(context, id, pushed.result.action, pushed.waitedMs)
    return answeredUnseen
  }
  if (pushed.kind === 'answered' && pushed.result.action !== 'accept') {
    await assent.answer(id, clientOf(context), { action: pushed.result.action })
  }
  // Accept is consent to open the page, never the answer (E11-19).
  const seen = await keepingAlive(ctx, () => assent.wait(id, { timeoutMs: clocks.question, signal: ctx.mcpReq.signal }))
  if (isSettled(seen)) await context.complete(id)
  await useAnswer(context, asked, seen, ask.purpose === 'confirm')
  const refusal = refusalIn(seen)
  if (refusal !== undefined) throw refusal
  return seen
}

/**
 * Sends the question to the client, and waits for the first answer: the client's, or one given elsewhere. A client that
 * gives up is not a person who says no: the question stays open, and the same call finds it or its answer.
 */
export async function push(
  context: RequestContext,
  params: ElicitParams,
  { id }: Pick<Elicitation, 'id'>,
): Promise<Pushed> {
  const { assent, ctx, clocks, ready } = context
  const over = new AbortController()
  const gone = AbortSignal.any([over.signal, ctx.mcpReq.signal])
  const asking = readyToBeAsked(ready, gone)
    .then(async (): Promise<Pushed> => {
      const sentAt = assent.clock.now().getTime()
      const result = await ctx.mcpReq.send(
        { method: 'elicitation/create', params: { ...params } },
        { timeout: clocks.question, signal: gone },
      )
      return { kind: 'answered', result: result as ElicitResult, waitedMs: assent.clock.now().getTime() - sentAt }
    })
    .catch((error: unknown) => pushFailed(error, ctx.mcpReq.signal.aborted))
  const elsewhere = assent.wait(id, { signal: gone }).then((elicitation): Pushed => ({ kind: 'settled', elicitation }))
  try {
    const first = await Promise.race([asking, elsewhere])
    if (first.kind === 'settled' && first.elicitation.state.kind === 'open') throw stopped(context, first.elicitation)
    return first
  } finally {
    over.abort()
    elsewhere.catch(() => {})
  }
}

/** Resolves when the client is ready, or after a while: a client that never says so is asked anyway. */
export async function readyToBeAsked(ready: Promise<void>, signal: AbortSignal): Promise<void> {
  await Promise.race([ready, sleep(readyMs, undefined, { signal, ref: false }).catch(() => {})])
}

function pushFailed(error: unknown, isGone: boolean): Pushed {
  if (isGone || (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)) throw requesterGone()
  // No answer in time, or a client that cannot do what it declared: another way may work.
  return { kind: 'unanswered' }
}

/** Nobody waits any more, and the question is open: the client is gone, or this process stops. */
function stopped(
  { assent, ctx, started }: RequestContext,
  { id, question, purpose, expiresAt }: Elicitation,
): AskRefused {
  if (ctx.mcpReq.signal.aborted) return requesterGone()
  const what = 'This call waits for an answer, and the server that held it was stopped.'
  const [page, reason] =
    purpose === 'approval' ? [approvePageName, 'waiting-for-approval'] : ['form', 'waiting-for-answer']
  const link = question.mode === 'url' ? question.url : assent.linkTo(id, page)
  return pendingUntil({ what, link, expiresAt, id, isBegun: started.length > 0 }, reason)
}

function requesterGone(): AskRefused {
  return new AskRefused('cancelled', 'The client disconnected or cancelled the call.', 'requester-gone')
}

async function answeredBy(
  context: RequestContext,
  id: ElicitationId,
  { result }: Extract<Pushed, { kind: 'answered' }>,
  form: AskedForm,
  lift: (content: unknown) => unknown,
) {
  const given = clientAnswer(result) ?? { action: 'cancel' as const }
  if (given.action !== 'accept') return settledBy(context, id, { action: given.action })
  // The author's schema may be stricter than the form. While the question is open, it can be asked again.
  const read = await form.read(lift(given.content ?? {}))
  return read.kind === 'invalid' ? read : settledBy(context, id, { action: 'accept', content: read.content })
}

async function settledBy(context: RequestContext, id: ElicitationId, answer: Answer) {
  const answered = await context.assent.answer(id, clientOf(context), answer)
  return answered.kind === 'invalid' ? answered : answered.elicitation
}

function contentOf({ state }: Elicitation): unknown {
  return state.kind === 'answered' && 'content' in state.answer ? state.answer.content : {}
}
