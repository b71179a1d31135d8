import type { ElicitationResult } from '../../elicitation/result.ts'
import { urlParams } from '../../mcp/elicit-params.ts'
import type { RequestContext } from '../context.ts'
import { openPage, type PageAsk } from '../page.ts'
import type { Round } from '../rounds/round.ts'
import { callQuestion, takeEarlier } from '../waiting/same-call.ts'

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
  const asked = callQuestion(context, key, ask)
  // An old "connected" does not count: the caller has just found that the account cannot be used.
  const earlier = ask.purpose === 'connect' ? undefined : await takeEarlier(context, asked)
  if (earlier !== undefined) return earlier
  const { id, question } = await openPage(context, asked, ask)
  context.completeLater(id)
  return round.put(key, urlParams(question, id, '2025-11-25'))
}
