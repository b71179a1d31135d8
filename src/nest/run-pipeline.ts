import type { ServerContext } from '@modelcontextprotocol/server'
import type { Asks } from '../asking/asks.ts'
import { contextOf, type RequestContext } from '../asking/context.ts'
import { PagesRequired, withRequiredPages } from '../asking/required-pages.ts'
import type { Round } from '../asking/rounds/round.ts'
import { runOther, runTool } from '../asking/run-handler.ts'
import { AssentError } from '../base/errors.ts'
import { protocolErrorFrom } from '../mcp/errors.ts'
import { AskRefused } from '../mcp/refusal.ts'
import { PipelineRun, type RunSettings, rememberRun } from './run.ts'
import { UnidentifiedRun } from './unidentified-run.ts'

/** A request that a tool, a prompt or a resource answers. */
export interface HandledRequest {
  readonly method: string
  readonly params: { arguments?: unknown; readonly name?: string }
}

/** A handler as MCP-Nest binds it: it runs Nest's pipeline. */
export type BoundHandler = (request: HandledRequest, ctx: ServerContext) => unknown

/** Runs the pipeline of one request, which may ask. It runs again, within this request, when required pages are done. */
export function runPipeline(
  request: HandledRequest,
  ctx: ServerContext,
  bound: BoundHandler,
  settings: RunSettings,
): Promise<unknown> {
  const context = contextOf(ctx)
  const { arguments: given } = request.params
  const handler = (first: Asks, round: Round) =>
    withRequiredPages(context, (ask) => {
      // MCP-Nest puts the parsed arguments into the request, which cannot be parsed twice.
      if ('arguments' in request.params) request.params.arguments = given
      return oneRun(new PipelineRun(context, ask, round, settings), context, () => bound(request, ctx))
    })(first, round)
  return request.method === 'tools/call' ? runTool(context, handler) : runOther(context, handler)
}

/** Runs the pipeline of a request whose sender nobody knows: it cannot ask. */
export async function runUnidentified(
  request: HandledRequest,
  ctx: ServerContext,
  bound: BoundHandler,
): Promise<unknown> {
  const run = new UnidentifiedRun()
  rememberRun(ctx, run)
  const ended = await endOf(() => bound(request, ctx))
  if (run.thrown !== undefined && isCausedBy(ended, run.thrown)) {
    if (request.method !== 'tools/call') throw protocolErrorFrom(run.thrown)
    return { content: [{ type: 'text', text: run.thrown.message }], isError: true }
  }
  if ('error' in ended) throw ended.error
  return ended.result
}

type Ended = { readonly result: unknown } | { readonly error: unknown }

async function oneRun(run: PipelineRun, { ctx, call }: RequestContext, pipeline: () => unknown): Promise<unknown> {
  rememberRun(ctx, run)
  const ended = await endOf(pipeline)
  // The questions of this run are the answer.
  if (run.isOver) return new Promise<never>(() => {})
  const { thrown } = run
  if (thrown !== undefined && isCausedBy(ended, thrown)) {
    if (call.method !== 'tools/call' || thrown instanceof AskRefused || !(thrown instanceof AssentError)) throw thrown
    return { content: [{ type: 'text', text: thrown.message }], isError: true }
  }
  if ('error' in ended) throw ended.error
  return ended.result
}

async function endOf(pipeline: () => unknown): Promise<Ended> {
  try {
    return { result: await pipeline() }
  } catch (error) {
    return { error }
  }
}

/** What Nest's own filter says instead of an error that is not for clients. */
const hidden = 'Internal server error'

/**
 * Whether the pipeline ended by what an ask has thrown. Filters put an error into other words: an application's own words
 * are left as they are, those of Nest and of MCP-Nest are known. Required pages end every run that fails.
 */
function isCausedBy(ended: Ended, thrown: Error): boolean {
  const message = failureIn(ended)
  if (message === undefined) return false
  return thrown instanceof PagesRequired || message === hidden || message === thrown.message
}

function failureIn(ended: Ended): string | undefined {
  if ('error' in ended) return (ended.error as { message?: string } | undefined)?.message ?? ''
  const { isError, content } = (ended.result ?? {}) as { isError?: boolean; content?: { text?: string }[] }
  return isError === true ? (content?.[0]?.text ?? '') : undefined
}
