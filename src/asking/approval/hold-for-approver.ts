import { approvePageName } from '../../approval/approval.ts'
import type { Answerer } from '../../elicitation/answering/answerers.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import type { RequestContext } from '../context.ts'
import { keepingAlive } from '../progress.ts'
import type { Round } from '../rounds/round.ts'

/**
 * Waits for an approver whom this client cannot reach; the inbox and the channels show them the question. If it is still
 * open after `clocks.hold`, the call ends as pending. The same call, made again after the yes, runs at once.
 */
export async function holdForApprover(context: RequestContext, round: Round, { id }: Elicitation): Promise<void> {
  const { assent, clocks, ctx, revision } = context
  const signal = isPerRequest(revision) ? round.signal : ctx.mcpReq.signal
  const wait = () => keepingAlive(ctx, () => assent.wait(id, { timeoutMs: clocks.hold, signal }))
  const seen = await (isPerRequest(revision) ? round.hold(wait) : wait())
  if (seen.state.kind === 'open') throw stillPending(context, seen)
}

/** The refusal of a call that is pending: tells the model whose yes it waits for, where, and until when. */
export function stillPending(
  { assent, person }: RequestContext,
  { id, answerers, expiresAt }: Elicitation,
): AskRefused {
  const nameOf = (name: Answerer) => {
    if (name === person.participant) return 'the person who uses this client'
    return name.startsWith('group:') ? `anyone in ${name.slice('group:'.length)}` : name
  }
  const who = answerers.anyOf.map(nameOf).join(' or ')
  return new AskRefused(
    'pending',
    `This call waits for a yes of ${who} at ${assent.linkTo(id, approvePageName)}, until ${expiresAt.toISOString()}. Nothing ran. After the yes, make the same call again: it then runs without another question.`,
    'waiting-for-approval',
  )
}

/** The refusal of a call that nobody can approve: the client cannot ask, and the rule names no other approver. */
export async function cannotAskApprover({ assent, call }: RequestContext, { id }: Elicitation): Promise<AskRefused> {
  await assent.withdraw(id, call.requester, 'the client could not ask')
  const message = 'This call needs approval by a person, and this client cannot ask for it. It was denied.'
  return new AskRefused('denied', message, 'cannot-ask')
}
