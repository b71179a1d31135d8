import type { JsonObject } from '../base/json.ts'
import { checkPageUrl } from '../client/page/url-safety.ts'
import type { ElicitationUi } from '../client/ui.ts'
import { checkForm } from '../elicitation/form/check.ts'
import { withDefaults } from '../elicitation/form/defaults.ts'
import { type FieldError, validateContent } from '../elicitation/form/validate.ts'

/** A question of another participant, as it came. */
export interface AskedInSpace {
  readonly from: string
  readonly params: JsonObject
  readonly signal: AbortSignal
}

/** Answers questions: by a user interface, or by a function that gives the result of `elicitation/create`. */
export type AnswerQuestions = ElicitationUi | ((asked: AskedInSpace) => Promise<JsonObject> | JsonObject)

/** The result of a question, as whoever answers gives it. */
export async function answerQuestion(by: AnswerQuestions, asked: AskedInSpace): Promise<JsonObject> {
  if (typeof by === 'function') return by(asked)
  const { params, signal, from } = asked
  const ask = { asker: { server: from }, message: String(params.message), signal }
  if (params.mode === 'url') return openPage(by, ask, String(params.url))
  const schema = checkForm(params.requestedSchema, undefined, 'tolerant')
  let filled = withDefaults(schema, {}) as Record<string, unknown>
  let errors: readonly FieldError[] = []
  for (;;) {
    signal.throwIfAborted()
    const reply = await by.form({ ...ask, schema, filled, errors })
    if (reply.action !== 'accept') return { action: reply.action }
    const validated = validateContent(schema, reply.content)
    if (validated.kind === 'valid') return { action: 'accept', content: validated.content as JsonObject }
    filled = { ...reply.content }
    errors = validated.errors
  }
}

async function openPage(
  ui: ElicitationUi,
  ask: { readonly asker: { readonly server: string }; readonly message: string; readonly signal: AbortSignal },
  address: string,
): Promise<JsonObject> {
  const checked = checkPageUrl(address)
  if (checked.kind === 'refused') {
    ui.pageRefused({ ...ask, reason: checked.reason })
    return { action: 'decline' }
  }
  const { url, host, warnings } = checked
  const reply = await ui.consentToOpen({ ...ask, url, host, warnings })
  if (reply !== 'open') return { action: reply }
  await ui.open(url)
  return { action: 'accept' }
}
