import { type InputRequiredResult, UrlElicitationRequiredError } from '@modelcontextprotocol/server'
import { AssentError } from '../base/errors.ts'
import { protocolErrorFrom } from '../mcp/errors.ts'
import { AskRefused, type RefusalResult, refusalResult } from '../mcp/refusal.ts'
import { isPerRequest } from '../mcp/revision.ts'
import { type Asks, asksFor } from './asks.ts'
import type { RequestContext } from './context.ts'
import { endRound, type Round, startRound } from './rounds/round.ts'

/** A handler that may ask. It runs again from the top when a 2026 client comes back with answers. */
export type AskingHandler<Result> = (ask: Asks, round: Round) => Promise<Result> | Result

/** Runs the handler of a tool. A refusal is a result, which the model can read. */
export async function runTool<Result>(
  context: RequestContext,
  handler: AskingHandler<Result>,
): Promise<Result | InputRequiredResult | RefusalResult> {
  try {
    return await runHandler(context, handler)
  } catch (error) {
    if (error instanceof AskRefused) return refusalResult(error)
    throw error
  }
}

/** Runs the handler of a prompt or a resource. There a refusal is a JSON-RPC error. */
export async function runOther<Result>(
  context: RequestContext,
  handler: AskingHandler<Result>,
): Promise<Result | InputRequiredResult> {
  try {
    return await runHandler(context, handler)
  } catch (error) {
    throw error instanceof AssentError ? protocolErrorFrom(error) : error
  }
}

/** Ends with the handler's result, or with the end of a round: the questions that must be answered first. */
async function runHandler<Result>(
  context: RequestContext,
  handler: AskingHandler<Result>,
): Promise<Result | InputRequiredResult> {
  const round = startRound(context.ctx.mcpReq.signal)
  const handling = Promise.resolve().then(() => handler(asksFor(context, round), round))
  return Promise.race([handling, round.over.then(() => unfinished(context, round))])
}

function unfinished(context: RequestContext, round: Round): Promise<InputRequiredResult> {
  if (isPerRequest(context.revision)) return endRound(context, round)
  const urls = [...round.requests.values()].map(({ params }) => params as { mode?: string })
  throw new UrlElicitationRequiredError(urls.filter(({ mode }) => mode === 'url') as never)
}
