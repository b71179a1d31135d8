import type { Elicitation } from '../elicitation/elicitation.ts'
import type { ElicitationResult } from '../elicitation/result.ts'
import { AskRefused } from '../mcp/refusal.ts'
import { isPerRequest } from '../mcp/revision.ts'
import { tooManyTries } from './answers.ts'
import { answeredUnseen } from './approval/unseen.ts'
import type { RequestContext } from './context.ts'
import type { AskedForm } from './form.ts'
import { type PageAsk, pageAsk } from './page.ts'
import { askByError } from './push/ask-by-error.ts'
import { pushForm, pushPage } from './push/push.ts'
import { putForm, putPage, sameQuestion, spendAgain } from './rounds/ask.ts'
import type { Round } from './rounds/round.ts'
import { askInInbox } from './waiting/inbox.ts'
import { callQuestion, takeEarlier } from './waiting/same-call.ts'

/** Asks by a form in the client, or on one of Assent's pages where the client shows no forms, or in the inbox. */
export async function askForm(
  context: RequestContext,
  round: Round,
  key: string,
  form: AskedForm,
  isYes: boolean,
): Promise<{ value: unknown }> {
  const { revision, modes, inbox } = context
  const waits = () => formInInbox(context, round, key, form, isYes)
  if (isPerRequest(revision)) {
    const put = modes.form ? await putForm(context, round, key, form, isYes) : undefined
    if (put === answeredUnseen) fellBack(context, answeredUnseen)
    else if (put !== undefined) return put
    if (put === answeredUnseen || (!modes.url && inbox())) return waits()
    if (!modes.url) return lack(context, round, 'form')
    fellBack(context, 'form-undeclared')
  } else if (revision !== undefined && modes.form && context.canPush) {
    const pushed = await pushForm(context, revision, key, form, isYes)
    if (typeof pushed === 'object') return pushed
    fellBack(context, pushed)
    if (inbox()) return waits()
    if (!modes.url) throw new AskRefused('expired', 'Nobody answered in time.', 'unanswered')
  } else {
    fellBack(context, context.canPush ? 'form-undeclared' : 'no-session')
    if (!modes.url && inbox()) return waits()
    if (!modes.url) throw cannotAsk(context, 'form')
  }
  const question = { mode: 'url', message: form.message, page: 'form', schema: form.schema } as const
  const ask = pageAsk({ question, purpose: isYes ? 'confirm' : 'input', metadata: {} })
  const { data = {} } = await askPage(context, round, key, ask)
  return readAs(form, data)
}

/** Asks by a form in the inbox. */
export async function formInInbox(
  context: RequestContext,
  round: Round,
  key: string,
  form: AskedForm,
  isYes: boolean,
): Promise<{ value: unknown }> {
  const { message, schema, fingerprint } = form
  const purpose = isYes ? 'confirm' : 'input'
  const question = { mode: 'form', message, schema } as const
  const { data = {} } = await askInInbox(context, round, key, { question, purpose, fingerprint })
  return readAs(form, data)
}

async function readAs(form: AskedForm, content: unknown): Promise<{ value: unknown }> {
  const read = await form.read(content)
  if (read.kind === 'invalid') throw tooManyTries(read.errors)
  return { value: read.value }
}

/** Asks by a page, in the way of the client's revision, or in the inbox. */
export async function askPage(
  context: RequestContext,
  round: Round,
  key: string,
  ask: PageAsk,
): Promise<ElicitationResult> {
  const { assent, call, revision, modes, canPush, urlBy, assumeUrl, inbox } = context
  const resultOf = async ({ id }: Elicitation) => {
    const result = await assent.getResult(call.requester.participant, id)
    if (result?.success !== true) throw new AskRefused('failed', 'The answer is gone.', 'deleted')
    return result
  }
  const waits = (reason: string) => {
    fellBack(context, reason)
    return askInInbox(context, round, key, ask)
  }
  if (isPerRequest(revision)) {
    if (!modes.url) return inbox() ? waits('url-undeclared') : lack(context, round, 'url')
    const earlier = await takenBefore(context, key, ask)
    if (earlier !== undefined) return earlier
    const put = await putPage(context, round, key, ask)
    return put === answeredUnseen ? waits(put) : resultOf(put)
  }
  if (revision !== undefined && modes.url && canPush && urlBy === 'push') {
    const asked = callQuestion(context, key, ask)
    const earlier = ask.purpose === 'connect' ? undefined : await takeEarlier(context, asked)
    if (earlier !== undefined) return earlier
    const pushed = await pushPage(context, revision, asked, ask)
    return typeof pushed === 'object' ? resultOf(pushed) : waits(pushed)
  }
  if ((modes.url && canPush) || (!canPush && assumeUrl)) return askByError(context, round, key, ask)
  const reason = canPush ? 'url-undeclared' : 'no-session'
  if (inbox()) return waits(reason)
  fellBack(context, reason)
  throw cannotAsk(context, 'url')
}

/** The answer that an earlier try of the same call left behind, taken over by this walk in this round or before. */
async function takenBefore(context: RequestContext, key: string, ask: PageAsk): Promise<ElicitationResult | undefined> {
  const { walk, assent, call } = context
  const { fingerprint } = ask
  if (ask.purpose === 'connect') return undefined
  const asked = callQuestion(context, key, ask)
  const before = sameQuestion(key, walk.answered, fingerprint)
  if (before !== undefined && before.record === undefined) {
    if (ask.purpose === 'confirm') await spendAgain(context, key)
    return assent.find(call.requester.participant, asked.type)
  }
  if (before !== undefined || sameQuestion(key, walk.pending, fingerprint) !== undefined) return undefined
  const earlier = await takeEarlier(context, asked)
  if (earlier !== undefined) walk.answered[key] = { fingerprint }
  return earlier
}

/** Ends the request of a 2026 client with an error that names the missing mode, before anything is kept (B26-10). */
export function lack(context: RequestContext, round: Round, mode: 'form' | 'url'): Promise<never> {
  fellBack(context, `${mode}-undeclared`)
  context.lacks.push(mode)
  return round.rest()
}

function cannotAsk({ canPush }: RequestContext, mode: 'form' | 'url'): AskRefused {
  const what = mode === 'form' ? 'show a form' : 'send anyone to a page'
  const reason = canPush ? `${mode}-undeclared` : 'no-session'
  return new AskRefused('cannot-ask', `This needs an answer from a person, and the client cannot ${what}.`, reason)
}

function fellBack({ assent, name }: RequestContext, reason: string): void {
  assent.events.tell({ kind: 'fallback', server: name, reason })
}
