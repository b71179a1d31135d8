import type { Decision } from '../../approval/policy/policy.ts'
import { type ClientForm, formForClient } from '../../approval/question/choice-form.ts'
import { formForAnswer } from '../../approval/question/choices.ts'
import { approvalIn } from '../../approval/question/subject.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import { isPlainObject } from '../../base/json.ts'
import { isAsked } from '../../elicitation/answering/may-answer.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import type { Content, FormSchema } from '../../elicitation/form/schema.ts'
import { type FieldError, validateContent } from '../../elicitation/form/validate.ts'
import { formParams } from '../../mcp/elicit-params.ts'
import { traitOf } from '../../mcp/quirks.ts'
import {
  answeredUnseen,
  type ClientAnswer,
  clientAnswer,
  isUnseen,
  mostTries,
  recordUnseen,
  tooManyTries,
  wordsFor,
} from '../answers.ts'
import type { RequestContext } from '../context.ts'
import { clientOf } from '../page.ts'

/**
 * Takes a 2026 client's answer to the approval that its walk waits for. To be called before anything is decided: a no
 * counts, even if the call was allowed in the meantime.
 */
export async function takeAnswer(context: RequestContext, key: string): Promise<void> {
  const { walk, responses } = context
  const pending = Object.hasOwn(walk.pending, key) ? walk.pending[key] : undefined
  const given = clientAnswer(responses.get(key))
  if (pending?.record === undefined || given === undefined) return
  const asked = await context.assent.get(pending.record)
  if (asked?.state.kind !== 'open') return

  const form = formIn(context, asked)
  const waitedMs = context.assent.clock.now().getTime() - (pending.askedAt ?? 0)
  if (isUnseen(context, waitedMs)) {
    await recordUnseen(context, asked.id, given.action, waitedMs)
    walk.pending[key] = { ...pending, elsewhere: answeredUnseen }
    return
  }
  if (form === undefined && given.action === 'accept') {
    // Accept is consent to open the page, never the answer (E11-19).
    walk.pending[key] = { ...pending, opened: true }
    return
  }
  if (form === undefined && isForPageOnly(asked)) {
    walk.pending[key] = { ...pending, elsewhere: pageClosed }
    return
  }
  const { lift } = form === undefined ? { lift: () => ({}) } : formParams(form.message, form.schema, '2026-07-28')
  const errors = await answerForClient(context, asked, form?.schema, given, lift)
  if (errors === undefined) return
  const tries = (pending.tries ?? 0) + 1
  if (tries >= mostTries) throw tooManyTries(errors)
  walk.pending[key] = { ...pending, tries: tries, problem: wordsFor(errors) }
}

/** The approval as a form for this client. Undefined: it needs the page. */
export function formIn(context: RequestContext, asked: Elicitation): ClientForm | undefined {
  const about = approvalIn(asked)
  if (about === undefined || asked.question.mode !== 'form' || !isAsked(asked, context.person)) return undefined
  return fittingForm(context, about.call, about.decision, asked.question.message)
}

/** The form of an approval, if this client shows forms, and shows this one whole. */
export function fittingForm(
  { modes, ownQuirks }: Pick<RequestContext, 'modes' | 'ownQuirks'>,
  call: ToolCall,
  decision: Decision,
  message?: string,
): ClientForm | undefined {
  if (!modes.form) return undefined
  const messageLines = traitOf(ownQuirks, 'messageLines')
  return formForClient(call, decision, message, {
    ...(messageLines !== undefined && { messageLines }),
    choiceOnly: traitOf(ownQuirks, 'choiceOnly') === true,
  })
}

/** Answers the question for the client's person. Returns what is wrong with the answer, or undefined if it was taken. */
export async function answerForClient(
  context: RequestContext,
  { id, question }: Elicitation,
  schema: FormSchema | undefined,
  given: ClientAnswer,
  lift: (content: unknown) => unknown,
): Promise<readonly FieldError[] | undefined> {
  const { assent } = context
  if (given.action !== 'accept' || schema === undefined) {
    await assent.answer(id, clientOf(context), { action: given.action })
    return undefined
  }
  // The page offers more choices than the form. Only what the form offered can be chosen here.
  const content = withoutEmpty(lift(given.content ?? {}))
  const read = validateContent(formForAnswer(schema, content), content)
  if (read.kind === 'invalid') return read.errors
  const whole = { ...shownValues(question.schema), ...read.content }
  const answered = await assent.answer(id, clientOf(context), { action: 'accept', content: whole })
  return answered.kind === 'invalid' ? answered.errors : undefined
}

/** Some clients send an empty text for a field that nobody touched. */
function withoutEmpty(content: unknown): unknown {
  if (!isPlainObject(content)) return content
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value !== '' && value !== null))
}

/** The arguments that may be edited, as the call has them. The client showed them: what it left empty or out stays so. */
function shownValues(schema: FormSchema | undefined): Content {
  const { properties = {}, required = [] } = schema ?? {}
  return Object.fromEntries(
    required.flatMap((name) => {
      const value = properties[name]?.default
      return value === undefined ? [] : [[name, value] as const]
    }),
  ) as Content
}

/** The reason for going on in the inbox after the client said that its person left the page. */
export const pageClosed = 'page-closed'

/** Whether nothing that a client says may settle this approval. */
export function isForPageOnly(elicitation: Elicitation): boolean {
  const answer = approvalIn(elicitation)?.decision.answer
  return answer !== undefined && answer !== 'client'
}
