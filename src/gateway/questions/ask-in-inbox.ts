import { refusalIn } from '../../asking/answers.ts'
import type { RequestContext } from '../../asking/context.ts'
import type { AskedForm } from '../../asking/form.ts'
import { aboutOf } from '../../asking/page.ts'
import { keepingAlive } from '../../asking/progress.ts'
import { sameQuestion } from '../../asking/rounds/ask.ts'
import type { Round } from '../../asking/rounds/round.ts'
import { digest } from '../../base/canonical.ts'
import type { Json } from '../../base/json.ts'
import type { Ask } from '../../elicitation/asking/request.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import type { AskReply } from '../upstream/upstream.ts'
import { type Opened, type Page, safePage } from './ask-open.ts'

type Question = Pick<Ask, 'question' | 'purpose' | 'metadata'>

/** Asks the requester in the inbox, while the upstream waits, because their client shows no forms. */
export async function askInInbox(
  context: RequestContext,
  round: Round,
  key: string,
  form: AskedForm,
): Promise<AskReply> {
  const question = { mode: 'form', message: form.message, schema: form.schema } as const
  const settled = await heldInInbox(context, round, key, { question }, 'upstream-form-in-inbox')
  const refusal = refusalIn(settled)
  if (refusal !== undefined) throw refusal
  const { state } = settled
  const content = state.kind === 'answered' && 'content' in state.answer ? state.answer.content : {}
  return { result: { action: 'accept', content: content as Json } }
}

/** Asks the requester in the inbox to open an upstream's page. Yes is consent to open it, as in a client. */
export async function openInInbox(context: RequestContext, round: Round, key: string, page: Page): Promise<Opened> {
  const { message, url } = safePage(context.name, page, context.assent.limits)
  const ask: Question = {
    // The address is in the message too: not every channel shows a link.
    question: { mode: 'url', message: `${message}\n${url}`, page: 'confirm' },
    purpose: 'confirm',
    metadata: { title: `Go to ${new URL(url).host}?`, link: url, confirmLabel: 'I opened it', cancelLabel: 'No' },
  }
  const settled = await heldInInbox(context, round, key, ask, 'upstream-url-in-inbox')
  const refusal = refusalIn(settled)
  if (refusal === undefined) return 'accept'
  if (refusal instanceof AskRefused && refusal.status === 'declined') return 'decline'
  throw refusal
}

async function heldInInbox(
  context: RequestContext,
  round: Round,
  key: string,
  asked: Question,
  reason: string,
): Promise<Elicitation> {
  const { assent, call, name, clocks, ctx, walk } = context
  const fingerprint = digest(asked as never)
  let id = sameQuestion(key, walk.pending, fingerprint)?.record
  if (id === undefined) {
    assent.events.tell({ kind: 'fallback', server: name, reason })
    const { elicitation } = await assent.ask({
      ...asked,
      origin: { server: name },
      requester: call.requester,
      about: aboutOf(context, key),
      expiresInMs: clocks.question,
    })
    id = elicitation.id
    // Another question may end the round. The retry then finds this one, answered or not.
    walk.pending[key] = { fingerprint, record: id }
  }
  const asking = id
  const waiting = { timeoutMs: clocks.question, signal: ctx.mcpReq.signal }
  return round.hold(() => keepingAlive(ctx, () => assent.wait(asking, waiting)))
}
