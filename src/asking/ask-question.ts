import type { Elicitation } from '../elicitation/elicitation.ts'
import type { ElicitationResult } from '../elicitation/result.ts'
import { AskRefused } from '../mcp/refusal.ts'
import { isPerRequest } from '../mcp/revision.ts'
import { tooManyTries } from './answers.ts'
import type { RequestContext } from './context.ts'
import type { AskedForm } from './form.ts'
import { type PageAsk, pageAsk } from './page.ts'
import { askByError } from './push/ask-by-error.ts'
import { pushForm, pushPage } from './push/push.ts'
import { putForm, putPage } from './rounds/ask.ts'
import type { Round } from './rounds/round.ts'

/** Asks by a form in the client, or on one of Assent's pages where the client shows no forms. */
export async function askForm(
  context: RequestContext,
  round: Round,
  key: string,
  form: AskedForm,
  isYes: boolean,
): Promise<{ value: unknown }> {
  const { revision, modes } = context
  if (isPerRequest(revision)) {
    if (modes.form) return putForm(context, round, key, form, isYes)
    if (!modes.url) return lack(context, round, 'form')
    fellBack(context, 'form-undeclared')
  } else if (revision !== undefined && modes.form && context.canPush) {
    const pushed = await pushForm(context, revision, key, form, isYes)
    if (pushed !== undefined) return pushed
    fellBack(context, 'unanswered')
    if (!modes.url) throw new AskRefused('expired', 'Nobody answered in time.', 'unanswered')
  } else {
    fellBack(context, context.canPush ? 'form-undeclared' : 'no-session')
    if (!modes.url) throw cannotAsk(context, 'form')
  }
  const question = { mode: 'url', message: form.message, page: 'form', schema: form.schema } as const
  const ask = pageAsk({ question, purpose: isYes ? 'confirm' : 'input', metadata: {} })
  const { data = {} } = await askPage(context, round, key, ask)
  const read = await form.read(data)
  if (read.kind === 'invalid') throw tooManyTries(read.errors)
  return { value: read.value }
}

/** Asks by a page, in the way of the client's revision. */
export async function askPage(
  context: RequestContext,
  round: Round,
  key: string,
  ask: PageAsk,
): Promise<ElicitationResult> {
  const { assent, call, revision, modes, canPush, urlBy, assumeUrl } = context
  const resultOf = async ({ id }: Elicitation) => {
    const result = await assent.getResult(call.requester.participant, id)
    if (result?.success !== true) throw new AskRefused('failed', 'The answer is gone.', 'deleted')
    return result
  }
  if (isPerRequest(revision)) {
    return modes.url ? resultOf(await putPage(context, round, key, ask)) : lack(context, round, 'url')
  }
  if (revision !== undefined && modes.url && canPush && urlBy === 'push') {
    return resultOf(await pushPage(context, revision, key, ask))
  }
  if ((modes.url && canPush) || (!canPush && assumeUrl)) return askByError(context, round, key, ask)
  fellBack(context, canPush ? 'url-undeclared' : 'no-session')
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
