import { refusedBy } from '../../asking/answers.ts'
import { recordAsked } from '../../asking/carried-question.ts'
import { keepingAlive, shareProgress } from '../../asking/progress.ts'
import { inBackground } from '../../base/under-way.ts'
import { BadQuestion } from '../../elicitation/errors.ts'
import type { Post } from '../../instance/post.ts'
import { leaseOf } from '../../mcp/http/incoming.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import { requesterKey } from '../../participant/requester.ts'
import type { GatewaySettings } from '../options.ts'
import { pagesError, pagesIn, samePages } from '../questions/pages.ts'
import { checkAskingRate, type Passing, passAskInFlight, passPage, unlessTooOften } from '../questions/pass-ask.ts'
import type { UpstreamHooks, UpstreamReply } from '../upstream/upstream.ts'
import type { Completions } from './completions.ts'
import { callGone, type HeldCall, type ParkedElsewhere } from './parked-elsewhere.ts'
import type { Parking } from './parking.ts'
import { keepProgress, progressOf, type RequiredPages, upstreamChanged } from './upstream-progress.ts'

/** Sends one request to a 2025 upstream, which may ask in the middle of it. */
export type SendSession = (hooks: UpstreamHooks, signal: AbortSignal) => Promise<UpstreamReply>

export interface SessionContext {
  readonly settings: Pick<GatewaySettings, 'messages'>
  readonly parking: Parking
  readonly parkedElsewhere: ParkedElsewhere
  readonly post: Pick<Post, 'id'>
  readonly completions: Completions
}

/** How many rounds of pages one call may have. */
const mostPageRounds = 5

/** A 2025 client is asked while its call is in progress. A 2026 client comes back to a call that is parked meanwhile. */
export function forwardSession(gateway: SessionContext, passing: Passing, send: SendSession): Promise<UpstreamReply> {
  const limited: SendSession = (hooks, signal) => send(unlessTooOften(passing, hooks), signal)
  return isPerRequest(passing.context.revision)
    ? forwardParked(gateway, passing, limited)
    : forwardPushed(gateway, passing, limited)
}

async function forwardPushed(gateway: SessionContext, passing: Passing, send: SendSession): Promise<UpstreamReply> {
  const { context } = passing
  let count = 0
  const asked: UpstreamHooks['asked'] = (method, params, signal) => {
    count += 1
    return passAskInFlight(unlessWithdrawn(passing, signal), `asked ${count}`, method, params)
  }
  for (let required: RequiredPages | undefined; ; ) {
    const reply = await send({ asked }, context.ctx.mcpReq.signal)
    const pages = pagesIn(reply)
    if (pages === undefined) return reply
    checkCanOpen(passing)
    // A client with url mode visits the pages by itself, and calls again.
    if (context.modes.url) {
      checkAskingRate(passing, pages.length)
      const error = safely(context.name, () => pagesError(context.name, pages))
      for (const [at] of pages.entries()) {
        await recordAsked(context, { key: `page ${at}`, mode: 'url', purpose: 'input' })
      }
      return { kind: 'error', error }
    }
    required = nextPages(passing, required, pages)
    const toVisit = required
    await keepingAlive(context.ctx, async () => {
      await openPages(passing, toVisit)
      await pagesDone(gateway, passing, toVisit)
    })
  }
}

/** A question that the upstream cancels is cancelled at the client. */
function unlessWithdrawn(passing: Passing, withdrawn: AbortSignal): Passing {
  const { ctx } = passing.context
  const signal = AbortSignal.any([withdrawn, ctx.mcpReq.signal])
  const narrowed = { ...ctx, mcpReq: { ...ctx.mcpReq, signal } }
  shareProgress(ctx, narrowed)
  return { ...passing, context: { ...passing.context, ctx: narrowed } }
}

async function forwardParked(session: SessionContext, passing: Passing, send: SendSession): Promise<UpstreamReply> {
  const { context } = passing
  let required = requiredPagesIn(passing)
  if (required !== undefined) await openPages(passing, required)
  // The client is back, so the person may be done: the server is called at once, and held for only if it says otherwise.
  for (let mayHold = required !== undefined; ; ) {
    const reply = await parkedReply(session, passing, send, required?.round ?? 0)
    const pages = pagesIn(reply)
    if (pages === undefined) {
      keepProgress(context, undefined)
      return reply
    }
    checkCanOpen(passing)
    const next = nextPages(passing, required, pages)
    keepProgress(context, next)
    // The same pages again: the person has not finished, and the client will retry by itself.
    if (next === required && !mayHold) return passing.round.rest()
    if (next !== required) await openPages(passing, next)
    required = next
    mayHold = false
    await pagesDone(session, passing, required)
  }
}

/** The pages to visit next: those of the round before, or a new round. Both are limited. */
function nextPages(passing: Passing, before: RequiredPages | undefined, pages: RequiredPages['pages']): RequiredPages {
  const { name, assent, clocks } = passing.context
  const now = assent.clock.now().getTime()
  if (before !== undefined && samePages(before.pages, pages)) {
    if (now - before.since <= clocks.state) return before
    throw new AskRefused('expired', `${name} still waits for its page. The call is not retried.`, 'unanswered')
  }
  const round = (before?.round ?? 0) + 1
  if (round > mostPageRounds) {
    throw new AskRefused('failed', `${name} keeps asking for more pages, so the call was ended.`, 'too-many-rounds')
  }
  checkAskingRate(passing, pages.length)
  return { kind: 'pages', round, pages, since: now }
}

function requiredPagesIn({ context }: Passing): RequiredPages | undefined {
  const progress = progressOf(context)
  if (progress?.kind === 'input-required') throw upstreamChanged(context.name)
  return progress?.kind === 'pages' ? progress : undefined
}

async function parkedReply(
  session: SessionContext,
  passing: Passing,
  send: SendSession,
  generation: number,
): Promise<UpstreamReply> {
  const { round } = passing
  const held = await heldCall(session, passing, send, generation)
  // Any question may end the round. From then on the call waits for the client to come back.
  inBackground(round.over.then(held.leave))
  try {
    return await replyOf(held, passing)
  } catch (error) {
    held.leave()
    throw error
  }
}

async function replyOf(held: HeldCall, passing: Passing): Promise<UpstreamReply> {
  const { context } = passing
  const { call } = held
  const { signal } = context.ctx.mcpReq
  for (;;) {
    if (call.reply !== undefined) {
      held.end()
      const isLate = [...context.responses.keys()].some((key) => call.isOverdue(key))
      return isLate ? answeredTooLate(context.name, call.reply) : call.reply
    }
    const { asks } = call
    if (asks.length === 0) await call.changed(signal)
    if (signal.aborted) {
      // Only a client that came with a state holds one that leads back to this call.
      if (context.isRetry) held.leave()
      else held.end()
      throw new AskRefused('cancelled', 'The client disconnected or cancelled the call.', 'requester-gone')
    }
    await Promise.all(
      asks.map(async ({ key, method, params }) =>
        call.answer(key, await passAskInFlight(passing, key, method, params)),
      ),
    )
  }
}

/** The call of this walk: parked here, parked at another instance, or sent now. */
async function heldCall(
  { parking, parkedElsewhere, post, settings }: SessionContext,
  { context }: Passing,
  send: SendSession,
  generation: number,
): Promise<HeldCall> {
  const { walk, ctx, call: identity } = context
  const progress = progressOf(context)
  const known = parking.find(walk.id)
  if (progress?.kind === 'parked' && known === undefined) {
    if (progress.at === undefined || progress.at === post.id) throw callGone()
    return parkedElsewhere.find(walk.id, progress.at, ctx.mcpReq.signal)
  }
  const call =
    known ??
    parking.begin({
      walkId: walk.id,
      requester: requesterKey(identity.requester),
      prefix: generation === 0 ? '' : `${generation}.`,
      lease: leaseOf(ctx.http?.req),
      reserve: (bytes) => settings.messages.lease(context.name, bytes),
      send,
    })
  keepProgress(context, { kind: 'parked', at: post.id })
  parking.hold(walk.id)
  return { call, leave: () => parking.leave(walk.id), end: () => parking.end(walk.id) }
}

/** What the upstream made of the missing answer, and that there was one after all. */
function answeredTooLate(server: string, reply: UpstreamReply): UpstreamReply {
  const words = `The answer to ${server} came too late: it had already got the error that nobody answered. Make the call again.`
  if (reply.kind === 'error') {
    return { ...reply, error: { ...reply.error, message: `${reply.error.message}. ${words}` } }
  }
  if (reply.kind !== 'result' || !Array.isArray(reply.result.content)) return reply
  return { ...reply, result: { ...reply.result, content: [...reply.result.content, { type: 'text', text: words }] } }
}

/** Sends the person to the pages that the upstream requires. Throws unless they agree to open all of them. */
async function openPages(passing: Passing, required: RequiredPages): Promise<void> {
  const { context, round } = passing
  const opened = await Promise.all(
    required.pages.map((page, index) =>
      round.during(() => safely(context.name, () => passPage(passing, `page ${required.round}.${index}`, page))),
    ),
  )
  const no = opened.find((action) => action !== 'accept')
  if (no !== undefined) throw refusedBy(no)
}

/** Waits up to `clocks.hold` until the upstream says that one of the pages is done. */
async function pagesDone({ completions }: SessionContext, { context, round }: Passing, { pages }: RequiredPages) {
  const ids = pages.flatMap(({ elicitationId }) => (elicitationId === undefined ? [] : [elicitationId]))
  await round.hold(() => completions.wait(ids, context.clocks.hold, context.ctx.mcpReq.signal))
}

function checkCanOpen({ context, asks, inbox }: Passing): void {
  if (asks && (context.modes.url || inbox)) return
  const message = `${context.name} needs you to visit a page first, and this client cannot send anyone to a page.`
  throw new AskRefused('cannot-ask', message, asks ? 'url-undeclared' : 'elicitation-disabled')
}

/** Ends the call with the reason if a page is not safe to open. */
function safely<T>(server: string, show: () => T): T {
  const refuse = (error: unknown): never => {
    if (!(error instanceof BadQuestion)) throw error
    throw new AskRefused(
      'failed',
      `${server} wants to send you to a page that is not safe: ${error.message}`,
      'bad-url',
    )
  }
  try {
    const shown = show()
    return (shown instanceof Promise ? shown.catch(refuse) : shown) as T
  } catch (error) {
    return refuse(error)
  }
}
