import type { Elicitation } from '../../elicitation/elicitation.ts'
import { refuseSecrets } from '../../elicitation/form/secrets/secrets.ts'
import { approvePageName } from '../approval.ts'
import type { ApprovalDesk } from '../desk.ts'
import { leastProof } from '../policy/decide.ts'
import type { Decision } from '../policy/policy.ts'
import { approvalDigest, type ToolCall } from '../tool-call.ts'
import { approvalWords, formForClient } from './choice-form.ts'
import { choicesFor } from './choices.ts'
import { pageForm } from './page-form.ts'
import { subjectOf } from './subject.ts'

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
        : { mode: 'url', message, page: approvePageName, schema },
    purpose: 'approval',
    origin: { server: call.server },
    requester: call.requester,
    anyOf: decision.approvers,
    through: leastProof(decision),
    about: approvalDigest(call, decision.ruleDigest),
    subject: subjectOf({ call, decision }),
    ...(decision.expiresMs !== undefined && { expiresInMs: decision.expiresMs }),
  })
  return elicitation
}
