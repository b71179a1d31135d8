import { type InputRequiredResult, ProtocolError, UrlElicitationRequiredError } from '@modelcontextprotocol/server'
import { AssentError } from '../base/errors.ts'
import { AskRefused, type RefusalResult, refusalCode, refusalResult } from '../mcp/refusal.ts'
import { isPerRequest } from '../mcp/revision.ts'
import { type Asks, asksFor } from './asks.ts'
import type { RequestContext } from './context.ts'
import { endRound, type Round, startRound } from './rounds/round.ts'

/** Runs a handler that asks, to its end or to the end of a round. */
async function runHandler<Result>(
  context: RequestContext,
  run: (ask: Asks, round: Round) => Promise<Result> | Result,
): Promise<Result | InputRequiredResult> {
  const round = startRound(context.ctx.mcpReq.signal)
  const handling = Promise.resolve().then(() => run(asksFor(context, round), round))
  return Promise.race([handling, round.over.then(() => unfinished(context, round))])
}

/** The same for a tool: a refusal is a result, which the model can read and act on. */
export async function runTool<Result>(
  context: RequestContext,
  run: (ask: Asks, round: Round) => Promise<Result> | Result,
): Promise<Result | InputRequiredResult | RefusalResult> {
  try {
    return await runHandler(context, run)
  } catch (error) {
    if (error instanceof AskRefused) return refusalResult(error, context.hasOutputSchema)
    throw error
  }
}

/** The same for a prompt or a resource: there a refusal is an error. */
export async function runOther<Result>(
  context: RequestContext,
  run: (ask: Asks, round: Round) => Promise<Result> | Result,
): Promise<Result | InputRequiredResult> {
  try {
    return await runHandler(context, run)
  } catch (error) {
    if (error instanceof AskRefused) {
      throw new ProtocolError(refusalCode, error.message, { status: error.status, reason: error.reason })
    }
    if (error instanceof AssentError) throw new ProtocolError(-32603, error.message)
    throw error
  }
}

function unfinished(context: RequestContext, round: Round): Promise<InputRequiredResult> {
  if (isPerRequest(context.revision)) return endRound(context, round)
  const urls = [...round.requests.values()].map(({ params }) => params as { mode?: string })
  throw new UrlElicitationRequiredError(urls.filter(({ mode }) => mode === 'url') as never)
}
