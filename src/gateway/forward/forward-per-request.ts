import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestContext } from '../../asking/context.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import { checkAskingRate, type Passing, passAsk } from '../questions/pass-ask.ts'
import type { AskReply, UpstreamReply } from '../upstream/upstream.ts'
import { type InputRequired, keepProgress, progressOf, upstreamChanged } from './upstream-progress.ts'

/** The shortest time between two requests to an upstream that has no question and no result. */
const pollMs = 250
const mostRounds = 50
const mostAtOnce = 100

/** Sends to a 2026 upstream, passes its questions on, and sends again with the answers, until there is a result. */
export async function forwardPerRequest(
  given: Passing,
  send: (more: JsonObject) => Promise<UpstreamReply>,
): Promise<UpstreamReply> {
  const opened = new Set<string>()
  const passing: Passing = { ...given, opened: (id) => opened.add(id) }
  const { context, round } = passing
  for (let progress = progressIn(passing); ; ) {
    const more = progress === undefined ? {} : await answersTo(passing, progress)
    const sentAt = now(passing)
    const reply = await send(more)
    const asked = reply.kind === 'result' ? questionsIn(reply.result) : undefined
    const asks = asked !== undefined && Object.keys(asked.questions).length > 0
    // An upstream that was silent and goes on: this is how a 2026 server says that the person finished its page.
    if (progress?.silentSince !== undefined && (asks || (reply.kind === 'result' && asked === undefined)))
      await complete(context, opened)
    if (asked === undefined) {
      keepProgress(context, undefined)
      return reply
    }
    progress = {
      kind: 'input-required',
      round: (progress?.round ?? 0) + (asks ? 1 : 0),
      ...asked,
      ...(!asks && { silentSince: progress?.silentSince ?? sentAt }),
    }
    checkPatience(passing, progress)
    checkAskingRate(passing, Object.values(asked.questions).filter(isElicitation).length)
    keepProgress(context, progress)
    if (asks) continue
    // The upstream waits for something that is not asked here. One that held the request is asked again at once.
    const early = pollMs - (now(passing) - sentAt)
    if (early > 0) await round.hold(() => sleep(early, undefined, { signal: context.ctx.mcpReq.signal }))
    if (isPerRequest(context.revision)) return round.rest()
  }
}

function isElicitation(request: Json): boolean {
  return isPlainObject(request) && request.method === 'elicitation/create'
}

async function complete(context: RequestContext, opened: Set<string>): Promise<void> {
  for (const id of opened) await context.complete(id as ElicitationId)
  opened.clear()
}

function progressIn({ context }: Passing): InputRequired | undefined {
  const progress = progressOf(context)
  if (progress === undefined || progress.kind === 'input-required') return progress
  throw upstreamChanged(context.name)
}

function checkPatience(passing: Passing, { round, questions, silentSince }: InputRequired): void {
  const { name, clocks } = passing.context
  if (round > mostRounds || Object.keys(questions).length > mostAtOnce) {
    throw new AskRefused('failed', `${name} keeps asking questions, so the call was ended.`, 'too-many-rounds')
  }
  if (silentSince !== undefined && now(passing) - silentSince > clocks.state) {
    throw new AskRefused('expired', `${name} did not finish in time.`, 'unanswered')
  }
}

function now({ context }: Passing): number {
  return context.assent.clock.now().getTime()
}

async function answersTo(passing: Passing, { round, questions, state }: InputRequired): Promise<JsonObject> {
  const answered = await Promise.all(
    Object.entries(questions).map(
      async ([key, request]) => [key, await answerTo(passing, ownKey(round, key), request)] as const,
    ),
  )
  return {
    ...(answered.length > 0 && { inputResponses: Object.fromEntries(answered) as JsonObject }),
    ...(state !== undefined && { requestState: state }),
  }
}

/** The upstream's own key, unless it could be taken for a key of a later round or one of ours. */
function ownKey(round: number, key: string): string {
  return round > 1 || /^(\d|approval |connect |page |asked |__proto__)/.test(key) ? `${round}.${key}` : key
}

async function answerTo(passing: Passing, key: string, request: Json): Promise<JsonObject> {
  const { method, params } = isPlainObject(request) ? request : {}
  const reply: AskReply = await passAsk(
    passing,
    key,
    String(method),
    isPlainObject(params) ? (params as JsonObject) : {},
  )
  if ('result' in reply) return reply.result
  // The upstream never gets an answer that nobody gave. The requester gets the reason instead.
  throw new AskRefused(
    'failed',
    `${passing.context.name} asked something that could not be put to you: ${reply.error.message}`,
    'upstream-ask-refused',
  )
}

/** The questions of an `input_required` result; undefined for a final result. */
function questionsIn(result: JsonObject): Pick<InputRequired, 'questions' | 'state'> | undefined {
  if (result.resultType !== 'input_required') return undefined
  const { inputRequests, requestState } = result
  return {
    questions: isPlainObject(inputRequests) ? (inputRequests as InputRequired['questions']) : {},
    ...(typeof requestState === 'string' && { state: requestState }),
  }
}
