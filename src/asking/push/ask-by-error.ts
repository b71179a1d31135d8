import { digest } from '../../base/canonical.ts'
import { rememberUntil } from '../../call/step.ts'
import type { ElicitationResult } from '../../elicitation/result.ts'
import { urlParams } from '../../mcp/elicit-params.ts'
import { requesterKey } from '../../participant/requester.ts'
import { refusedBy } from '../answers.ts'
import type { RequestContext } from '../context.ts'
import { openPage, type PageAsk } from '../page.ts'
import type { Round } from '../rounds/round.ts'

/** How long an answer to one call waits for that call to be made again. */
const usableMs = 86_400_000

/**
 * Ends the call of a 2025-11-25 client with the error -32042: its person has to visit a page, then it calls again
 * (E11-23). The repeated call finds the answer by its type. A type given by the author is valid for every call; one made
 * from this call is valid once.
 */
export async function askByError(
  context: RequestContext,
  round: Round,
  key: string,
  ask: PageAsk,
): Promise<ElicitationResult> {
  const { assent, call } = context
  const about = digest([
    requesterKey(call.requester),
    call.method,
    call.name,
    call.arguments ?? null,
    key,
    ask.fingerprint,
  ])
  const type = ask.type ?? `call-${about}`
  const known = await assent.find(call.requester.participant, type)
  // An old "connected" does not count: the caller has just found that the account cannot be used.
  const isOld = 'connect' in ask.question && known?.success === true
  if (
    known !== undefined &&
    !isOld &&
    ((ask.type !== undefined && known.success) || (await isFirstUse(context, type, known)))
  ) {
    if (known.action !== 'accept') throw refusedBy(known.action)
    return known
  }
  const { id, question } = await openPage(context, about, { ...ask, type })
  context.completeLater(id)
  return round.put(key, urlParams(question, id, '2025-11-25'))
}

/** An answer to one call counts for one call. A no counts once, after which the person may be asked again. */
async function isFirstUse(
  { assent }: RequestContext,
  type: string,
  { completedAt }: ElicitationResult,
): Promise<boolean> {
  const usableUntil = new Date(completedAt.getTime() + usableMs)
  // The answer can be found for ever, and the claim that says it was used cannot be kept as long.
  if (assent.clock.now() >= usableUntil) return false
  const step = { walkId: type, name: `used ${completedAt.toISOString()}` }
  const claimed = await assent.store.steps.claim(step, rememberUntil(usableUntil))
  return claimed.kind === 'claimed'
}
