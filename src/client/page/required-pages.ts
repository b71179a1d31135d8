import { setTimeout as sleep } from 'node:timers/promises'
import { isPlainObject } from '../../base/json.ts'
import { inBackground } from '../../base/under-way.ts'
import { codes } from '../../mcp/codes.ts'
import { CallRefused } from '../call-refused.ts'
import type { ClientContext } from '../client-context.ts'
import type { HumanTime } from '../human-time.ts'
import { askToOpenPage } from '../question/answer-ask.ts'
import { type VisibleAsk, visibleAsk } from '../question/visible-ask.ts'
import type { CompletionNotice } from './completion-notices.ts'
import { startPageWait } from './page-wait.ts'
import type { PageEnd, PageOutcome } from './shared-pages.ts'
import { trackPage } from './track-page.ts'
import { checkPageUrl } from './url-safety.ts'

/** How long the server may take to say how a completed page ended. */
const statusMs = 1_000

/** The pages that an error -32042 requires; undefined for any other error. */
export function requiredPages(error: unknown): readonly unknown[] | undefined {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: unknown }
  if (code !== codes.urlRequired || !isPlainObject(data) || !Array.isArray(data.elicitations)) return undefined
  return data.elicitations.length > 0 ? data.elicitations : undefined
}

/** A call whose server requires pages. */
export interface CallWithPages {
  readonly human: HumanTime
  /** The pages that the server required of this call before, by elicitation id. */
  readonly earlierPages: Map<string, { readonly url: string; readonly ended: PageEnd }>
}

interface Page {
  readonly elicitationId: string
  readonly ask: VisibleAsk
  readonly url: string
  readonly notice: CompletionNotice
}

/** Opens each page with the person's consent, and resolves when all of them are done. */
export async function openRequiredPages(
  context: ClientContext,
  { pages, error }: { pages: readonly unknown[]; error: unknown },
  call: CallWithPages,
): Promise<void> {
  // All notices are expected before the first page opens: one page may be completed while the person is on another.
  const expected = pages
    .map((page) => readPage(context, page))
    .map((page): Page => ({ ...page, notice: context.completionNotices.expect(page.elicitationId) }))
  try {
    for (const page of expected) {
      // The server reported this page as completed and requires it again: opening it once more would not help.
      if (call.earlierPages.get(page.elicitationId)?.ended === 'completed') throw error
      const ended = await openShared(context, page, call)
      call.earlierPages.set(page.elicitationId, { url: page.url, ended })
    }
  } finally {
    for (const { notice } of expected) notice.forget()
  }
}

function readPage(context: ClientContext, page: unknown): Omit<Page, 'notice'> {
  if (!isPlainObject(page) || typeof page.elicitationId !== 'string' || typeof page.url !== 'string') {
    throw new CallRefused('unsafe', 'The server requires a page in a format that this client does not support.')
  }
  const { elicitationId, url, message } = page
  return { elicitationId, url, ask: visibleAsk(context, message) }
}

async function openShared(context: ClientContext, page: Page, call: CallWithPages): Promise<PageEnd> {
  const { sharedPages } = context
  for (;;) {
    const sharedOutcome = sharedPages.get(page.elicitationId)
    if (sharedOutcome === undefined) break
    const outcome = await call.human.spend(() => sharedOutcome)
    if (outcome.kind === 'ended') return outcome.ended
    if (outcome.kind === 'refused') throw outcome.error
  }
  const opening = openOne(context, page, call)
  const outcome = opening.then(
    (ended): PageOutcome => ({ kind: 'ended', ended }),
    (error): PageOutcome =>
      error instanceof CallRefused && error.status !== 'expired' ? { kind: 'refused', error } : { kind: 'abandoned' },
  )
  sharedPages.set(page.elicitationId, outcome)
  inBackground(outcome.finally(() => sharedPages.delete(page.elicitationId)))
  return opening
}

async function openOne(context: ClientContext, page: Page, { human, earlierPages }: CallWithPages): Promise<PageEnd> {
  const before = earlierPages.get(page.elicitationId)
  // The person reported the page as done, and the server requires it again: it is still open, so wait once more.
  if (before?.url === page.url && before.ended === 'reported-done') {
    const checked = checkPageUrl(page.url)
    if (checked.kind === 'allowed') return waitUntilDone(context, page, checked.url, human)
  }

  if (!context.mayAsk()) throw new CallRefused('cancelled', 'The server asks too many questions per minute.')
  const consent = await askToOpenPage(context, page.ask, page.url, human)
  switch (consent.kind) {
    case 'opened':
      return waitUntilDone(context, page, consent.url, human)
    case 'refused':
      throw new CallRefused(consent.action === 'decline' ? 'declined' : 'cancelled', 'The page was not opened.')
    case 'unsafe':
      throw new CallRefused('unsafe', `The page was not opened. ${consent.reason}`)
  }
}

/**
 * Waits for the server's notice, the result of tracking, or the person's own report, whichever comes first (E11-22).
 */
function waitUntilDone(
  context: ClientContext,
  { ask, elicitationId, notice }: Page,
  url: string,
  human: HumanTime,
): Promise<PageEnd> {
  return human.spend(async (signal) => {
    const finished = new AbortController()
    const wait = startPageWait(context, ask, url, signal)
    const tracked = trackPage(
      context.adapter,
      elicitationId,
      wait.showProgress,
      AbortSignal.any([signal, finished.signal]),
    )
    // The notice does not say how the page ended, so a server that can be tracked is asked.
    const noticed = notice.done.then(() =>
      context.adapter.canTrack()
        ? Promise.race([tracked, sleep(statusMs, 'completed' as const, { signal: finished.signal })])
        : 'completed',
    )
    try {
      const ended = await Promise.race([tracked, noticed, wait.reply])
      if (ended === 'cancel') throw new CallRefused('cancelled', 'The person cancelled.')
      return ended === 'completed' ? 'completed' : 'reported-done'
    } finally {
      finished.abort()
      wait.close()
    }
  })
}
