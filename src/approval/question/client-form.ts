import type { FormSchema } from '../../elicitation/form/schema.ts'
import type { Decision } from '../policy/policy.ts'
import type { ToolCall } from '../tool-call.ts'
import { choiceForm } from './choice-form.ts'
import { choicesFor } from './choices.ts'
import { clientWords } from './client-words.ts'

/** Clients show this many characters of a message. An approver must see all of it. */
const longestWords = 4_000

/** What the requester's own client is asked, if it may show the approval and its answer counts. */
export interface ClientForm {
  readonly message: string
  readonly schema: FormSchema
}

/** Undefined: the rule, the arguments or their length are not for a form in a client; then it is the page's. */
export function formForClient(call: ToolCall, decision: Decision, message?: string): ClientForm | undefined {
  const schema = choiceForm(call, decision, choicesFor(call, decision, call.requester.participant, 'form'))
  const words = clientWords(call, decision, message)
  return schema === undefined || words.length > longestWords ? undefined : { message: words, schema }
}
