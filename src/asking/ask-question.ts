import type { Elicitation } from '../elicitation/elicitation.ts'
import type { ElicitationResult } from '../elicitation/result.ts'
import { AskRefused } from '../mcp/refusal.ts'
import { isPerRequest } from '../mcp/revision.ts'
import { answeredUnseen, tooManyTries } from './answers.ts'
import type { RequestContext } from './context.ts'
import type { AskedForm } from './form.ts'
import { type PageAsk, pageAsk } from './page.ts'
import { askByError } from './push/ask-by-error.ts'
import { pushForm, pushPage } from './push/push.ts'
import { putForm, putPage } from './rounds/ask.ts'
import type { Round } from './rounds/round.ts'
import { askInInbox, takenFromInbox } from './waiting/inbox.ts'
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
    const earlier = inbox() ? await takenFromInbox(context, key, { ...form, purpose: purposeOf(isYes) }) : undefined
    if (earlier !== undefined) return readAs(form, earlier.data)
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
  const ask = pageAsk({ question, purpose: purposeOf(isYes), metadata: {} })
  const { data } = await askPage(context, round, key, ask)
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
  const question = { mode: 'form', message, schema } as const
  const { data } = await askInInbox(context, round, key, { question, purpose: purposeOf(isYes), fingerprint })
  return readAs(form, data)
}

const purposeOf = (isYes: boolean) => (isYes ? 'confirm' : 'input')

async function readAs(form: AskedForm, content: unknown = {}): Promise<{ value: unknown }> {
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
    const earlier = await takenFromInbox(context, key, ask)
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
