import { setTimeout as sleep } from 'node:timers/promises'
import { digest } from '../base/canonical.ts'
import type { ElicitationId } from '../elicitation/elicitation.ts'
import { AskRefused } from '../mcp/refusal.ts'
import { clientAnswer, refusedBy } from './answers.ts'
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

/** Sends the person of a 2026 client to the pages, and comes back when all of them are done. */
export async function visitRequiredPages(
  context: RequestContext,
  round: Round,
  pages: readonly RequiredPage[],
): Promise<void> {
  await Promise.all(pages.map((page) => round.during(() => visitRequiredPage(context, round, page))))
}

async function visitRequiredPage(context: RequestContext, round: Round, page: RequiredPage): Promise<void> {
  const key = `page ${page.elicitationId}`
  const fingerprint = digest({ ...page })
  if (sameQuestion(key, context.walk.answered, fingerprint) !== undefined) {
    const message = 'The page was visited, but the tool still asks for it. The call was ended.'
    throw new AskRefused('failed', message, 'page-required-again')
  }
  const id = page.elicitationId as ElicitationId
  const known = await context.assent.get(id)
  if (known?.question.mode === 'url') {
    await putOpenPage(context, round, { key, fingerprint, id, question: known.question, isYes: false })
    return
  }
  await visitForeignPage(context, round, { key, fingerprint, page })
}

/** A page that was not made by `createUrl`: only the handler can tell when the person is done there. */
async function visitForeignPage(
  context: RequestContext,
  round: Round,
  { key, fingerprint, page }: { readonly key: string; readonly fingerprint: string; readonly page: RequiredPage },
): Promise<void> {
  const { walk, responses, ctx } = context
  const pending = sameQuestion(key, walk.pending, fingerprint)
  const given = pending && clientAnswer(responses.get(key))
  if (given !== undefined && given.action !== 'accept') throw refusedBy(given.action)
  if (pending?.opened === true) {
    await round.hold(() => sleep(pollMs, undefined, { signal: ctx.mcpReq.signal }))
    return round.rest()
  }
  if (given === undefined) {
    walk.pending[key] = { fingerprint }
    return round.put(key, { mode: 'url', message: page.message, url: page.url })
  }
  walk.pending[key] = { fingerprint, opened: true }
}
