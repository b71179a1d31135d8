import { randomUUID } from 'node:crypto'
import { actionOf, clientAnswer, isUnseen, recordUnseen } from '../../asking/answers.ts'
import { recordAnswered, recordAsked } from '../../asking/carried-question.ts'
import type { RequestContext } from '../../asking/context.ts'
import { keepingAlive } from '../../asking/progress.ts'
import { readyToBeAsked } from '../../asking/push/push.ts'
import { isNobodys, sameQuestion } from '../../asking/rounds/ask.ts'
import type { Round } from '../../asking/rounds/round.ts'
import { askInInbox, takenFromInbox } from '../../asking/waiting/inbox.ts'
import { digest } from '../../base/canonical.ts'
import { fromUpstream } from '../../base/text/provenance.ts'
import { checkUrl } from '../../elicitation/asking/url.ts'
import { BadQuestion } from '../../elicitation/errors.ts'
import type { ElicitationLimits } from '../../elicitation/limits.ts'
import { checkMessage } from '../../elicitation/limits.ts'
import { urlParams } from '../../mcp/elicit-params.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { isPerRequest } from '../../mcp/revision.ts'

/** A page that an upstream asks the person to visit. */
export interface Page {
  readonly message: string
  readonly url: string
  /** The upstream's own id for it. */
  readonly elicitationId?: string
}

export type Opened = 'accept' | 'decline' | 'cancel'

const longestUrl = 8_192

/**
 * Asks whether the person will open an upstream's page. Accept is consent to open it; the upstream itself knows when it is
 * done. Asked in the inbox where the client cannot be asked, does not answer, or answers without showing it to anybody.
 */
export async function askOpen(
  context: RequestContext,
  round: Round,
  key: string,
  page: Page,
  opened?: (elicitationId: string) => void,
): Promise<Opened> {
  const { name, modes, revision, assent } = context
  const question = { mode: 'url', ...safePage(name, page, assent.limits) } as const
  const open: OpenAsk = { key, question, fingerprint: digest(question), elicitationId: page.elicitationId }
  try {
    if (context.inbox()) {
      const earlier = await takenFromInbox(context, key, { ...open, purpose: 'confirm' })
      if (earlier !== undefined) return 'accept'
    }
    const given = !modes.url
      ? 'inbox'
      : isPerRequest(revision)
        ? await putOpen(context, round, open)
        : await pushOpen(context, open, opened)
    return given === 'inbox' ? await openInInbox(context, round, open) : given
  } catch (error) {
    const action = error instanceof AskRefused ? actionOf(error) : undefined
    if (action === undefined) throw error
    return action
  }
}

/** A checked page, and its place in the walk. */
interface OpenAsk {
  readonly key: string
  readonly question: { readonly mode: 'url'; readonly message: string; readonly url: string }
  readonly fingerprint: string
  /** The upstream's own id for it. */
  readonly elicitationId: string | undefined
}

const carried = (key: string) => ({ key, mode: 'url', purpose: 'input' }) as const

/** Asks a 2026 client. */
async function putOpen(context: RequestContext, round: Round, open: OpenAsk): Promise<Opened | 'inbox'> {
  const { walk, assent } = context
  const { key, question, fingerprint, elicitationId = fingerprint } = open
  const before = sameQuestion(key, walk.answered, fingerprint)
  if (before?.value !== undefined) return before.value as Opened
  const pending = sameQuestion(key, walk.pending, fingerprint)
  if (pending?.elsewhere !== undefined) return 'inbox'
  const given = pending && clientAnswer(context.responses.get(key))
  if (given === undefined) {
    if (pending === undefined) await recordAsked(context, carried(key))
    walk.pending[key] = pending ?? { fingerprint, askedAt: assent.clock.now().getTime() }
    return round.put(key, urlParams(question, elicitationId, '2026-07-28', context.ownQuirks))
  }
  if (await isNobodys(context, key, pending, given.action)) return 'inbox'
  await recordAnswered(context, carried(key), given.action, pending?.askedAt)
  delete walk.pending[key]
  walk.answered[key] = { fingerprint, value: given.action }
  return given.action
}

/** Asks a 2025 client, and waits. */
async function pushOpen(
  context: RequestContext,
  { key, question, elicitationId }: OpenAsk,
  opened?: (elicitationId: string) => void,
): Promise<Opened | 'inbox'> {
  const { ctx, clocks, ready, assent, walk } = context
  const { signal } = ctx.mcpReq
  const id = elicitationId ?? randomUUID()
  await readyToBeAsked(ready, signal)
  await recordAsked(context, carried(key))
  const askedAt = assent.clock.now().getTime()
  const request = { method: 'elicitation/create' as const, params: { ...question, elicitationId: id } }
  const result = await keepingAlive(ctx, () =>
    ctx.mcpReq.send(request as never, { timeout: clocks.question, signal }).catch((error: unknown) => {
      // A client that gives the call up gives up its question too. One that only does not answer may be asked elsewhere.
      if (signal.aborted || !context.inbox()) throw error
      return undefined
    }),
  )
  if (result === undefined) return 'inbox'
  const action = clientAnswer(result)?.action ?? 'cancel'
  const waitedMs = assent.clock.now().getTime() - askedAt
  if (context.inbox() && isUnseen(context, waitedMs)) {
    await recordUnseen(context, walk.id, action, waitedMs)
    return 'inbox'
  }
  await recordAnswered(context, carried(key), action, askedAt)
  if (action === 'accept' && elicitationId === undefined) opened?.(id)
  return action
}

/** Asks the requester in the inbox. Yes is consent to open the page, as in a client. */
async function openInInbox(context: RequestContext, round: Round, open: OpenAsk): Promise<'accept'> {
  const { assent, name } = context
  const { key, question, fingerprint } = open
  const { message, url } = question
  assent.events.tell({ kind: 'fallback', server: name, reason: 'upstream-url-in-inbox' })
  await askInInbox(context, round, key, {
    // The address is in the message too: not every channel shows a link.
    question: { mode: 'url', message: `${message}\n${url}`, page: 'confirm' },
    purpose: 'confirm',
    fingerprint,
    metadata: { title: `Go to ${new URL(url).host}?`, link: url, confirmLabel: 'I opened it', cancelLabel: 'No' },
  })
  return 'accept'
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
