import { refusedBy } from '../../asking/answers.ts'
import { keepingAlive, shareProgress } from '../../asking/progress.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json.ts'
import { BadQuestion } from '../../elicitation/errors.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import { requesterKey } from '../../participant/requester.ts'
import type { Page } from '../questions/ask-open.ts'
import { pagesError, pagesIn, samePages } from '../questions/pages.ts'
import { checkAskingRate, openPage, type Passing, passAsk, unlessTooOften } from '../questions/pass-ask.ts'
import type { UpstreamHooks, UpstreamReply } from '../upstream/upstream.ts'
import type { Completions } from './completions.ts'
import type { Parking } from './parking.ts'

/** Sends one request to a 2025 upstream, which may ask in the middle of it. */
export type SendSession = (hooks: UpstreamHooks, signal: AbortSignal) => Promise<UpstreamReply>

export interface SessionWays {
  readonly parking: Parking
  readonly completions: Completions
}

/** How often a person is sent to other pages within one call. */
const mostVisits = 5

/** A client of 2025 is asked while its call is under way; a client of 2026 comes back to a call that is parked. */
export function forwardSession(ways: SessionWays, passing: Passing, send: SendSession): Promise<UpstreamReply> {
  const limited: SendSession = (hooks, signal) => send(unlessTooOften(passing, hooks), signal)
  return isPerRequest(passing.visit.revision)
    ? forwardParked(ways, passing, limited)
    : forwardPushed(ways, passing, limited)
}

async function forwardPushed(ways: SessionWays, passing: Passing, send: SendSession): Promise<UpstreamReply> {
  const { visit } = passing
  let count = 0
  const asked: UpstreamHooks['asked'] = (method, params, signal) => {
    count += 1
    return passAsk(unlessWithdrawn(passing, signal), `asked ${count}`, method, params)
  }
  for (let visiting: Visiting | undefined; ; ) {
    const reply = await send({ asked }, visit.ctx.mcpReq.signal)
    const pages = pagesIn(reply)
    if (pages === undefined) return reply
    checkCanOpen(passing)
    // A client that knows pages visits them by itself, and calls again.
    if (visit.modes.url) {
      checkAskingRate(passing, pages.length)
      return { kind: 'error', error: safely(visit.name, () => pagesError(visit.name, pages)) }
    }
    visiting = nextVisit(passing, visiting, pages)
    const toVisit = visiting
    await keepingAlive(visit.ctx, () => visitPages(ways, passing, toVisit))
  }
}

/** What the upstream takes back is taken back from the client. */
function unlessWithdrawn(passing: Passing, withdrawn: AbortSignal): Passing {
  const { ctx } = passing.visit
  const signal = AbortSignal.any([withdrawn, ctx.mcpReq.signal])
  const narrowed = { ...ctx, mcpReq: { ...ctx.mcpReq, signal } }
  shareProgress(ctx, narrowed)
  return { ...passing, visit: { ...passing.visit, ctx: narrowed } }
}

/** Pages that a 2025 upstream wants visited before it is called again. */
interface Visiting {
  readonly n: number
  readonly pages: readonly (Page & JsonObject)[]
  /** Since when it is these, in milliseconds. */
  readonly t: number
}

async function forwardParked(ways: SessionWays, passing: Passing, send: SendSession): Promise<UpstreamReply> {
  const { walk } = passing.visit
  let visiting = visitingIn(passing)
  if (visiting !== undefined) await visitPages(ways, passing, visiting)
  for (;;) {
    const reply = await parkedReply(ways, passing, send, visiting?.n ?? 0)
    const pages = pagesIn(reply)
    if (pages === undefined) {
      delete walk.u
      return reply
    }
    checkCanOpen(passing)
    const next = nextVisit(passing, visiting, pages)
    walk.u = next as unknown as Json
    // The same pages again: the person is still there, and the client comes again by itself.
    if (next === visiting) return passing.round.rest()
    visiting = next
    await visitPages(ways, passing, visiting)
  }
}

/** The visit that goes on, or the next one; neither goes on for ever. */
function nextVisit(passing: Passing, visiting: Visiting | undefined, pages: Visiting['pages']): Visiting {
  const { name, assent, clocks } = passing.visit
  const now = assent.clock.now().getTime()
  if (visiting !== undefined && samePages(visiting.pages, pages)) {
    if (now - visiting.t <= clocks.state) return visiting
    throw new AskRefused('expired', `${name} still waits for its page, and is not called again.`, 'unanswered')
  }
  const n = (visiting?.n ?? 0) + 1
  if (n > mostVisits) {
    throw new AskRefused('failed', `${name} wants pages visited without end. No more are shown.`, 'too-many-rounds')
  }
  checkAskingRate(passing, pages.length)
  return { n, pages, t: now }
}

function visitingIn({ visit }: Passing): Visiting | undefined {
  const { u } = visit.walk
  if (u === undefined || typeof u === 'string') return undefined
  if (isPlainObject(u) && Array.isArray(u.pages)) return u as unknown as Visiting
  throw new AskRefused('failed', `${visit.name} is another one now than when it asked. Call again.`, 'parked-call-gone')
}

async function parkedReply(
  { parking }: SessionWays,
  passing: Passing,
  send: SendSession,
  generation: number,
): Promise<UpstreamReply> {
  const { visit, round } = passing
  const { walk, ctx, call: identity } = visit
  const { signal } = ctx.mcpReq
  const known = parking.find(walk.w)
  if (walk.u === 'parked' && known === undefined) {
    const message =
      'The call that asked this is gone: too much time passed, or the gateway was restarted. It may have run in part, and is not made again.'
    throw new AskRefused('failed', message, 'parked-call-gone')
  }
  const prefix = generation === 0 ? '' : `${generation}.`
  const call = known ?? parking.begin({ walk: walk.w, requester: requesterKey(identity.requester), prefix, send })
  walk.u = 'parked'
  parking.hold(walk.w)
  // The client may be sent away at any question: from then on the call is left alone.
  void round.over.then(() => parking.leave(walk.w))
  for (;;) {
    if (call.reply !== undefined) {
      parking.end(walk.w)
      return call.reply
    }
    const { asks } = call
    if (asks.length === 0) await call.changed(signal)
    if (signal.aborted) {
      // Nobody holds a state that leads back here, unless one was brought.
      if (visit.isRetry) parking.leave(walk.w)
      else parking.end(walk.w)
      throw new AskRefused('cancelled', 'The one who asked is gone.', 'requester-gone')
    }
    await Promise.all(
      asks.map(async ({ key, method, params }) => call.answer(key, await passAsk(passing, key, method, params))),
    )
  }
}

/** Sends the person to the pages that the upstream wants visited first, and waits a while until they are done. */
async function visitPages({ completions }: SessionWays, passing: Passing, { n, pages }: Visiting): Promise<void> {
  const { visit, round } = passing
  const opened = await Promise.all(
    pages.map((page, index) =>
      round.during(() => safely(visit.name, () => openPage(passing, `page ${n}.${index}`, page))),
    ),
  )
  const no = opened.find((action) => action !== 'accept')
  if (no !== undefined) throw refusedBy(no)
  const ids = pages.flatMap(({ elicitationId }) => (elicitationId === undefined ? [] : [elicitationId]))
  await round.hold(() => completions.wait(ids, visit.clocks.hold, visit.ctx.mcpReq.signal))
}

function checkCanOpen({ visit, asks, inbox }: Passing): void {
  if (asks && (visit.modes.url || inbox)) return
  const message = `${visit.name} needs you to visit a page first, and this client cannot send anyone to a page.`
  throw new AskRefused('cannot-ask', message, asks ? 'url-undeclared' : 'elicitation-disabled')
}

/** A page that nobody may be sent to ends the call, with the reason. */
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
