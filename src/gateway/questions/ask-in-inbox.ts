import type { Json } from '../../base/json.ts'
import { refusalIn } from '../../server/answers.ts'
import { aboutOf } from '../../server/page-ask.ts'
import { keepingAlive } from '../../server/progress.ts'
import type { AskedForm } from '../../server/question.ts'
import type { Round } from '../../server/round.ts'
import type { Visit } from '../../server/visit.ts'
import type { AskReply } from '../upstream/upstream.ts'

/** Asks the requester in their inbox what their client cannot show, while the upstream waits. */
export async function askInInbox(visit: Visit, round: Round, key: string, form: AskedForm): Promise<AskReply> {
  const { assent, call, name, clocks, ctx } = visit
  assent.events.tell({ kind: 'fallback', server: name, reason: 'upstream-form-in-inbox' })
  const { elicitation } = await assent.ask({
    question: { mode: 'form', message: form.message, schema: form.schema },
    origin: { server: name },
    requester: call.requester,
    about: aboutOf(visit, key),
    expiresInMs: clocks.question,
  })
  const waiting = { timeoutMs: clocks.question, signal: ctx.mcpReq.signal }
  const settled = await round.hold(() => keepingAlive(ctx, () => assent.wait(elicitation.id, waiting)))
  const refusal = refusalIn(settled)
  if (refusal !== undefined) throw refusal
  const { state } = settled
  const content = state.kind === 'answered' && 'content' in state.answer ? state.answer.content : {}
  return { result: { action: 'accept', content: content as Json } }
}
