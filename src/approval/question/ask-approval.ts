import type { Elicitation } from '../../elicitation/elicitation.ts'
import type { FormSchema } from '../../elicitation/form/schema.ts'
import { refuseSecrets } from '../../elicitation/form/secrets/secrets.ts'
import type { ApprovalDesk } from '../desk.ts'
import type { Decision } from '../policy/policy.ts'
import { approvalDigest, type ToolCall } from '../tool-call.ts'
import { approvalWords } from './approval-words.ts'
import { choiceForm } from './choice-form.ts'
import { choicesFor } from './choices.ts'
import { clientWords } from './client-words.ts'
import { pageForm } from './page-form.ts'
import { subjectOf } from './subject.ts'

/** The page where approvals are answered. */
export const approvePage = 'approve'
/** Clients show so much of a message; an approver must see all of it. */
const longestWords = 4_000

/** Asks whoever may approve the call. Asked twice about the same call, it is one question. */
export async function askApproval(
  desk: ApprovalDesk,
  call: ToolCall,
  decision: Decision,
  given?: string,
): Promise<Elicitation> {
  const message = given ?? approvalWords(call)
  const schema = pageForm(call, decision, choicesFor(call, decision, call.requester.participant, 'page'))
  if (given !== undefined) refuseSecrets(schema, given)
  const { elicitation } = await desk.questions.ask({
    question:
      formForClient(call, decision, message) !== undefined
        ? { mode: 'form', message, schema }
        : { mode: 'url', message, page: approvePage, schema },
    purpose: 'approval',
    origin: { server: call.server },
    requester: call.requester,
    anyOf: decision.approvers,
    through: decision.answer,
    about: approvalDigest(call, decision.ruleDigest),
    subject: subjectOf({ call, decision }),
    ...(decision.expiresMs !== undefined && { expiresInMs: decision.expiresMs }),
  })
  return elicitation
}

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
