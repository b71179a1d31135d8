import { setTimeout as sleep } from 'node:timers/promises'
import type { Visit } from '../../asking/context.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import { checkAskingRate, type Passing, passAsk } from '../questions/pass-ask.ts'
import type { AskReply, UpstreamReply } from '../upstream/upstream.ts'

/** Where a call stands at a 2026 upstream, between two requests of its client. */
interface Standing {
  /** The round, which keeps the keys of its questions apart from those before. */
  readonly n: number
  /** What the upstream asked. */
  readonly q: { [key: string]: Json }
  /** The upstream's own state, sealed inside ours. */
  readonly s?: string
  /** Since when it asks nothing and has no result, in milliseconds. */
  readonly t?: number
}

const againMs = 250
const mostRounds = 50
const mostAtOnce = 100

/** Sends to a 2026 upstream, passes on what it asks, and sends again with the answers, until it has a result. */
export async function forwardPerRequest(
  given: Passing,
  send: (more: JsonObject) => Promise<UpstreamReply>,
): Promise<UpstreamReply> {
  const opened = new Set<string>()
  const passing: Passing = { ...given, opened: (id) => opened.add(id) }
  const { visit, round } = passing
  const { walk, revision, ctx } = visit
  for (let standing = standingIn(passing); ; ) {
    const more = standing === undefined ? {} : await answersTo(passing, standing)
    const sentAt = now(passing)
    const reply = await send(more)
    const asked = reply.kind === 'result' ? questionsIn(reply.result) : undefined
    const asks = asked !== undefined && Object.keys(asked.q).length > 0
    // It waited, and goes on: that is how a 2026 upstream says that the person is done with its page.
    if (standing?.t !== undefined && (asks || (reply.kind === 'result' && asked === undefined)))
      await complete(visit, opened)
    if (asked === undefined) {
      delete walk.u
      return reply
    }
    standing = { n: (standing?.n ?? 0) + (asks ? 1 : 0), ...asked, ...(!asks && { t: standing?.t ?? sentAt }) }
    checkPatience(passing, standing)
    checkAskingRate(passing, Object.values(asked.q).filter(isElicitation).length)
    walk.u = standing as unknown as Json
    if (asks) continue
    // The upstream waits for something that nobody here is asked. Those that hold the request are asked again at once.
    const early = againMs - (now(passing) - sentAt)
    if (early > 0) await round.hold(() => sleep(early, undefined, { signal: ctx.mcpReq.signal }))
    if (isPerRequest(revision)) return round.rest()
  }
}

function isElicitation(request: Json): boolean {
  return isPlainObject(request) && request.method === 'elicitation/create'
}

async function complete(visit: Visit, opened: Set<string>): Promise<void> {
  for (const id of opened) await visit.complete(id as ElicitationId)
  opened.clear()
}

function standingIn({ visit }: Passing): Standing | undefined {
  const { u } = visit.walk
  if (u === undefined) return undefined
  if (isPlainObject(u) && isPlainObject(u.q)) return u as unknown as Standing
  throw new AskRefused('failed', `${visit.name} is another one now than when it asked. Call again.`, 'parked-call-gone')
}

function checkPatience(passing: Passing, { n, q, t }: Standing): void {
  const { visit } = passing
  if (n > mostRounds || Object.keys(q).length > mostAtOnce) {
    throw new AskRefused('failed', `${visit.name} asks without end. Nothing more is asked.`, 'too-many-rounds')
  }
  if (t !== undefined && now(passing) - t > visit.clocks.state) {
    throw new AskRefused('expired', `${visit.name} did not come to an end in time.`, 'unanswered')
  }
}

function now({ visit }: Passing): number {
  return visit.assent.clock.now().getTime()
}

async function answersTo(passing: Passing, { n, q, s }: Standing): Promise<JsonObject> {
  const answered = await Promise.all(
    Object.entries(q).map(async ([key, request]) => [key, await answerTo(passing, ownKey(n, key), request)] as const),
  )
  return {
    ...(answered.length > 0 && { inputResponses: Object.fromEntries(answered) as JsonObject }),
    ...(s !== undefined && { requestState: s }),
  }
}

/** The upstream's own key where it cannot be taken for another: a later round's, or one of ours. */
function ownKey(n: number, key: string): string {
  return n > 1 || /^(\d|approval |connect |page |asked |__proto__)/.test(key) ? `${n}.${key}` : key
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
  // The upstream is not asked again with an answer that nobody gave; the requester gets the reason.
  throw new AskRefused(
    'failed',
    `${passing.visit.name} asked something that could not be put to you: ${reply.error.message}`,
    'upstream-ask-refused',
  )
}

/** What a result asks for before it is one; undefined: it is one. */
function questionsIn(result: JsonObject): Pick<Standing, 'q' | 's'> | undefined {
  if (result.resultType !== 'input_required') return undefined
  const { inputRequests, requestState } = result
  return {
    q: isPlainObject(inputRequests) ? (inputRequests as Standing['q']) : {},
    ...(typeof requestState === 'string' && { s: requestState }),
  }
}
