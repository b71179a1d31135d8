import { isGroup } from '../../elicitation/answering/answerers.ts'
import type { Ask } from '../../elicitation/asking/request.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { BadQuestion } from '../../elicitation/errors.ts'
import { refuseSecrets } from '../../elicitation/form/secrets/secrets.ts'
import { actsFor } from '../../elicitation/voting/voting.ts'
import { approvePageName } from '../approval.ts'
import type { ApprovalDesk } from '../desk.ts'
import { leastProof } from '../policy/decide.ts'
import type { Decision } from '../policy/policy.ts'
import { approvalDigest, type ToolCall } from '../tool-call.ts'
import { approvalWords, formForClient } from './choice-form.ts'
import { choicesFor } from './choices.ts'
import { pageForm } from './page-form.ts'
import { subjectOf } from './subject.ts'

function votingOf({ quorum, delegate, escalate }: Decision): NonNullable<Ask['voting']> {
  return {
    ...(quorum !== undefined && { quorum }),
    ...(delegate !== undefined && { delegate }),
    ...(escalate !== undefined && { escalate }),
  }
}

/** A quorum that can never be reached is not asked for: the question would only expire. */
function refuseUnreachable({ requester }: ToolCall, { approvers, escalate = [], quorum = 1 }: Decision): void {
  if (quorum === 1) return
  const names = new Set([...approvers, ...escalate.flatMap(({ to }) => to)])
  if ([...names].some(isGroup)) return
  const others = [...names].filter((name) => !actsFor(requester, name)).length
  if (others < quorum) {
    throw new BadQuestion(`It needs ${quorum} approvers besides the requester, and the rule names ${others}.`)
  }
}

/** Asks whoever may approve the call. Asked twice about the same call, it is one question. */
export async function askApproval(
  desk: ApprovalDesk,
  call: ToolCall,
  decision: Decision,
  given?: string,
): Promise<Elicitation> {
  refuseUnreachable(call, decision)
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
    voting: votingOf(decision),
    ...(decision.priority !== undefined && { priority: decision.priority }),
    about: approvalDigest(call, decision.ruleDigest),
    subject: subjectOf({ call, decision }),
    ...(decision.expiresMs !== undefined && { expiresInMs: decision.expiresMs }),
  })
  return elicitation
}
