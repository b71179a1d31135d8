import { randomUUID } from 'node:crypto'
import { clientAnswer } from '../../asking/answers.ts'
import { recordAnswered, recordAsked } from '../../asking/carried-question.ts'
import type { RequestContext } from '../../asking/context.ts'
import { readyToBeAsked } from '../../asking/push/push.ts'
import { sameQuestion } from '../../asking/rounds/ask.ts'
import type { Round } from '../../asking/rounds/round.ts'
import { digest } from '../../base/canonical.ts'
import { checkUrl } from '../../elicitation/asking/url.ts'
import { BadQuestion } from '../../elicitation/errors.ts'
import type { ElicitationLimits } from '../../elicitation/limits.ts'
import { checkMessage } from '../../elicitation/limits.ts'
import { urlParams } from '../../mcp/elicit-params.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import { fromUpstream } from './provenance.ts'

/** A page that an upstream asks the person to visit. */
export interface Page {
  readonly message: string
  readonly url: string
  /** The upstream's own id for it. */
  readonly elicitationId?: string
}

export type Opened = 'accept' | 'decline' | 'cancel'

const longestUrl = 8_192

/** Asks whether the person will open an upstream's page. Accept is consent to open it; the upstream itself knows when it is done. */
export async function askOpen(
  context: RequestContext,
  round: Round,
  key: string,
  page: Page,
  opened?: (elicitationId: string) => void,
): Promise<Opened> {
  const { name, walk, revision, assent } = context
  const question = { mode: 'url' as const, ...safePage(name, page, assent.limits) }
  const asked = { key, mode: 'url', purpose: 'input' } as const
  const now = () => assent.clock.now().getTime()
  if (!isPerRequest(revision)) {
    const elicitationId = page.elicitationId ?? randomUUID()
    const askedAt = now()
    await recordAsked(context, asked)
    const action = await pushOpen(context, { ...question, elicitationId })
    await recordAnswered(context, asked, action, askedAt)
    if (action === 'accept' && page.elicitationId === undefined) opened?.(elicitationId)
    return action
  }

  const fingerprint = digest(question)
  const before = sameQuestion(key, walk.answered, fingerprint)
  if (before?.value !== undefined) return before.value as Opened
  const pending = sameQuestion(key, walk.pending, fingerprint)
  const given = pending && clientAnswer(context.responses.get(key))
  if (given === undefined) {
    if (pending === undefined) await recordAsked(context, asked)
    walk.pending[key] = pending ?? { fingerprint, askedAt: now() }
    return round.put(key, urlParams(question, page.elicitationId ?? fingerprint, '2026-07-28', context.ownQuirks))
  }
  await recordAnswered(context, asked, given.action, pending?.askedAt)
  delete walk.pending[key]
  walk.answered[key] = { fingerprint, value: given.action }
  return given.action
}

/** The page with its server's name, and its real host if that is disguised. Throws `BadQuestion` for an address that is not safe. */
export function safePage(
  server: string,
  { message, url }: Page,
  limits?: ElicitationLimits,
): { message: string; url: string } {
  if (url.length > longestUrl) throw new BadQuestion('The url of a question is too long.')
  const { href, hostname } = new URL(checkUrl(url))
  // Letters of other alphabets can imitate a name that people know.
  const isDisguised = hostname.includes('xn--')
  const marked = fromUpstream(server, message)
  if (limits) checkMessage(limits, marked)
  return {
    message: isDisguised ? `${marked} (This page is at ${hostname}.)` : marked,
    url: isDisguised ? href : url,
  }
}

async function pushOpen({ ctx, clocks, ready }: RequestContext, params: object): Promise<Opened> {
  const { signal } = ctx.mcpReq
  await readyToBeAsked(ready, signal)
  const request = { method: 'elicitation/create' as const, params: { ...params } }
  const result = await ctx.mcpReq.send(request as never, { timeout: clocks.question, signal })
  return clientAnswer(result)?.action ?? 'cancel'
}
