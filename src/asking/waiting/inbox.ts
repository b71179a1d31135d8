import type { AskedQuestion } from '../../elicitation/asking/request.ts'
import type { Elicitation, Purpose } from '../../elicitation/elicitation.ts'
import type { ElicitationResult } from '../../elicitation/result.ts'
import { AskRefused, pendingUntil } from '../../mcp/refusal.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import { actionOf, refusalIn, refusedBy } from '../answers.ts'
import type { RequestContext } from '../context.ts'
import { keepingAlive } from '../progress.ts'
import { sameQuestion, spendAgain } from '../rounds/ask.ts'
import type { Round } from '../rounds/round.ts'
import { accepted, callQuestion, takeEarlier, useAnswer } from './same-call.ts'

/** A question that may wait in the inbox. */
export interface InboxAsk {
  readonly question: AskedQuestion
  readonly purpose: Purpose
  readonly fingerprint: string
  readonly type?: string | undefined
  readonly metadata?: Elicitation['metadata']
}

/**
 * Asks the requester in the inbox, because their client cannot be asked. The call is held for `clocks.hold` and then ends as
 * pending, with the link. The same call, made again, waits for the same question, or goes on with its answer.
 */
export async function askInInbox(
  context: RequestContext,
  round: Round,
  key: string,
  ask: InboxAsk,
): Promise<ElicitationResult> {
  const { walk } = context
  const { fingerprint } = ask
  const earlier = await takenFromInbox(context, key, ask)
  if (earlier !== undefined) return earlier
  const result = await refusedInWalk(context, key, ask, () => asked(context, round, key, ask))
  delete walk.pending[key]
  walk.answered[key] = { fingerprint }
  return result
}

/**
 * The answer that somebody gave in the inbox: to an earlier try of the same call, or taken over by this walk in an earlier
 * round. Undefined if there is none. Throws `AskRefused` if it was a no.
 */
export async function takenFromInbox(
  context: RequestContext,
  key: string,
  ask: Pick<InboxAsk, 'fingerprint' | 'purpose' | 'type'>,
): Promise<ElicitationResult | undefined> {
  const { walk, assent, call } = context
  const { fingerprint, purpose } = ask
  const question = callQuestion(context, key, ask)
  const before = sameQuestion(key, walk.answered, fingerprint)
  if (before?.refused === 'decline' || before?.refused === 'cancel') throw refusedBy(before.refused)
  if (before !== undefined) {
    // The client gave this answer, on a form or by opening a page.
    if (before.value !== undefined || before.record !== undefined || before.refused !== undefined) return undefined
    if (purpose === 'confirm') await spendAgain(context, key)
    const known = await assent.find(call.requester.participant, question.type)
    if (known === undefined) throw new AskRefused('failed', 'The answer was deleted.', 'deleted')
    return accepted(known)
  }
  const pending = sameQuestion(key, walk.pending, fingerprint)
  // An old "connected" does not count: the caller has just found that the account cannot be used.
  if (purpose === 'connect' || (pending !== undefined && pending.elsewhere === undefined)) return undefined
  const earlier = await refusedInWalk(context, key, ask, () => takeEarlier(context, question))
  if (earlier === undefined) return undefined
  delete walk.pending[key]
  walk.answered[key] = { fingerprint }
  return earlier
}

/** A handler may catch a no and go on. When it runs again it must meet the same no. */
async function refusedInWalk<T>(
  { walk }: RequestContext,
  key: string,
  { fingerprint }: Pick<InboxAsk, 'fingerprint'>,
  answer: () => Promise<T>,
): Promise<T> {
  try {
    return await answer()
  } catch (error) {
    const refused = error instanceof AskRefused ? actionOf(error) : undefined
    if (refused !== undefined) {
      delete walk.pending[key]
      walk.answered[key] = { fingerprint, refused }
    }
    throw error
  }
}

async function asked(context: RequestContext, round: Round, key: string, ask: InboxAsk): Promise<ElicitationResult> {
  const { assent, call, name, clocks } = context
  const { about, type, isShared } = callQuestion(context, key, ask)
  const { elicitation } = await assent.ask({
    question: ask.question,
    purpose: ask.purpose,
    type,
    origin: { server: name },
    requester: call.requester,
    about,
    ...(ask.metadata && { metadata: ask.metadata }),
    expiresInMs: clocks.question,
  })
  context.attend(elicitation.id)
  const seen = await holdFor(context, round, elicitation.id)
  if (seen.state.kind === 'open') throw waitsInInbox(context, seen)
  const refusal = refusalIn(seen)
  await useAnswer(context, { isShared }, seen, ask.purpose === 'confirm')
  if (refusal !== undefined) throw refusal
  const result = await assent.getResult(call.requester.participant, seen.id)
  if (result === undefined) throw new AskRefused('failed', 'The answer was deleted.', 'deleted')
  return result
}

/** Holds the call for a while, until the question is settled by whoever may. */
async function holdFor(
  { assent, clocks, ctx, revision }: RequestContext,
  round: Round,
  id: Elicitation['id'],
): Promise<Elicitation> {
  const signal = isPerRequest(revision) ? round.signal : ctx.mcpReq.signal
  const timeoutMs = Math.min(clocks.hold, clocks.question)
  return round.hold(() => keepingAlive(ctx, () => assent.wait(id, { timeoutMs, signal })))
}

/** The refusal of a call whose question waits in the inbox. */
function waitsInInbox({ assent, started }: RequestContext, { id, question, expiresAt }: Elicitation): AskRefused {
  const link = question.mode === 'url' ? question.url : assent.linkTo(id, 'form')
  const what = 'This call waits for an answer of the person who uses this client.'
  return pendingUntil({ what, link, expiresAt, id, isBegun: started.length > 0 }, 'waiting-for-answer')
}
