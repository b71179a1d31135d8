import type { ApprovalDesk } from './desk.ts'
import { decide, ruleOf } from './policy/decide.ts'
import { approvalIn } from './question/subject.ts'

/** Why a question was taken back whose rule is another one now: the call is decided anew. */
export const policyChanged = 'policy-changed'

/** Takes back the open questions that today's policy would not ask as they were asked. Returns how many. */
export async function withdrawOutdated(desk: ApprovalDesk): Promise<number> {
  let withdrawn = 0
  for await (const asked of desk.questions.allOpen()) {
    const about = approvalIn(asked)
    // One that a handler asked by itself is not the policy's.
    if (about === undefined || about.decision.byHandler === true) continue
    const today = decide(desk.policy(), about.call)
    const mayAsk = today.decide === 'ask' || (about.decision.why.limited === true && today.limits !== undefined)
    if (!today.watched && mayAsk && today.ruleDigest === ruleOf(about.decision)) continue
    await desk.questions.withdrawAsObsolete(asked.id, policyChanged)
    withdrawn += 1
  }
  return withdrawn
}
