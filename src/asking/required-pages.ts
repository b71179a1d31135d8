import { setTimeout as sleep } from 'node:timers/promises'
import { UrlElicitationRequiredError } from '@modelcontextprotocol/server'
import { digest } from '../base/canonical.ts'
import { type ElicitationId, isSettled } from '../elicitation/elicitation.ts'
import { AskRefused } from '../mcp/refusal.ts'
import { isPerRequest } from '../mcp/revision.ts'
import { clientAnswer, refusalIn, refusedBy } from './answers.ts'
import { lack } from './ask-question.ts'
import { type Asks, asksFor } from './asks.ts'
import { recordAnswered, recordAsked } from './carried-question.ts'
import type { RequestContext } from './context.ts'
import { putOpenPage, sameQuestion } from './rounds/ask.ts'
import type { Round } from './rounds/round.ts'

/** One page that a client is to send its person to. */
export interface RequiredPage {
  readonly mode: 'url'
  readonly message: string
  readonly url: string
  readonly elicitationId: string
}

/** Thrown by a handler that cannot go on before these pages were visited. Its call ends with them, or is retried. */
export class PagesRequired extends Error {
  readonly pages: readonly RequiredPage[]

  constructor(pages: readonly RequiredPage[]) {
    super('The person has to visit a page first.')
    this.name = 'PagesRequired'
    this.pages = pages
  }
}

/** How long to wait before the handler of a page that Assent does not know is run again. */
const pollMs = 1_000

/**
 * Lets a handler throw `PagesRequired`. A client of 2025 gets the pages by the error -32042, and calls again; for a
 * client of 2026 the handler runs again once the person has visited them.
 */
export function withRequiredPages<Result>(
  context: RequestContext,
  handler: (ask: Asks) => Promise<Result> | Result,
): (ask: Asks, round: Round) => Promise<Result> {
  return async (first, round) => {
    if (context.isRetry) await takeSettledPages(context)
    for (let ask = first; ; ask = asksFor(context, round)) {
      try {
        return await handler(ask)
      } catch (error) {
        if (!(error instanceof PagesRequired)) throw error
        if (!isPerRequest(context.revision))
          throw new UrlElicitationRequiredError(error.pages.map((page) => ({ ...page })))
        await visitRequiredPages(context, round, error.pages)
      }
    }
  }
}

/** Sends the person of a 2026 client to the pages, and returns when all of them are done. */
async function visitRequiredPages(
  context: RequestContext,
  round: Round,
  pages: readonly RequiredPage[],
): Promise<void> {
  if (!context.modes.url) return round.during(() => lack(context, round, 'url'))
  const open = pages.map(asVisit).filter(({ key, fingerprint }) => !isVisited(context, key, fingerprint))
  if (open.length === 0) {
    const message = 'The page was visited, but the tool still asks for it. The call was ended.'
    throw new AskRefused('failed', message, 'page-required-again')
  }
  await Promise.all(open.map((visit) => round.during(() => visitRequiredPage(context, round, visit))))
}

/**
 * Takes over what became of required pages since the round before, before the handler runs: it would find no answer that
 * it can use where the person declined, and ask for another page.
 */
async function takeSettledPages({ walk, assent }: RequestContext): Promise<void> {
  for (const [key, { fingerprint, record }] of Object.entries(walk.pending)) {
    if (record === undefined || key !== keyOf(record)) continue
    const kept = await assent.get(record)
    if (kept === undefined || !isSettled(kept)) continue
    const refusal = refusalIn(kept)
    if (refusal !== undefined) throw refusal
    delete walk.pending[key]
    walk.answered[key] = { fingerprint, record }
  }
}

/** A required page, and where it stands in the walk. */
interface Visit {
  readonly key: string
  readonly fingerprint: string
  readonly page: RequiredPage
}

const keyOf = (elicitationId: string) => `page ${elicitationId}`

function asVisit(page: RequiredPage): Visit {
  return { key: keyOf(page.elicitationId), fingerprint: digest({ ...page }), page }
}

function isVisited({ walk }: RequestContext, key: string, fingerprint: string): boolean {
  return sameQuestion(key, walk.answered, fingerprint) !== undefined
}

async function visitRequiredPage(context: RequestContext, round: Round, visit: Visit): Promise<void> {
  const { key, fingerprint, page } = visit
  const id = page.elicitationId as ElicitationId
  const known = await context.assent.get(id)
  if (known?.question.mode !== 'url') return visitForeignPage(context, round, visit)
  await putOpenPage(context, round, { key, fingerprint, id, question: known.question, isYes: false })
}

/** A page that was not made by `createUrl`: only the handler can tell when the person is done there. */
async function visitForeignPage(
  context: RequestContext,
  round: Round,
  { key, fingerprint, page }: Visit,
): Promise<void> {
  const { walk, responses, ctx, assent, clocks } = context
  const question = { key, mode: 'url', purpose: 'input' } as const
  const now = assent.clock.now().getTime()
  const pending = sameQuestion(key, walk.pending, fingerprint)
  if (pending?.opened === true) {
    if (now - (pending.askedAt ?? now) > clocks.question) throw new AskRefused('expired', 'Nobody answered in time.')
    await round.hold(() => sleep(pollMs, undefined, { signal: ctx.mcpReq.signal }))
    return round.rest()
  }
  const given = pending && clientAnswer(responses.get(key))
  if (given === undefined) {
    if (pending === undefined) await recordAsked(context, question)
    walk.pending[key] = pending ?? { fingerprint, askedAt: now }
    return round.put(key, { mode: 'url', message: page.message, url: page.url })
  }
  await recordAnswered(context, question, given.action, pending?.askedAt)
  if (given.action !== 'accept') throw refusedBy(given.action)
  walk.pending[key] = { ...pending, fingerprint, opened: true }
}
