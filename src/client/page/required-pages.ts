import { setTimeout as sleep } from 'node:timers/promises'
import { isPlainObject } from '../../base/json.ts'
import type { Conversation } from '../conversation.ts'
import type { HumanTime } from '../human-time.ts'
import { consent } from '../question/answer-ask.ts'
import { type ReadAsk, readAsk } from '../question/read-ask.ts'
import { CallRefused } from '../refused.ts'
import { track } from '../track.ts'
import type { Notice } from './pages.ts'
import { judgeUrl } from './url-safety.ts'
import type { Ended, Outcome } from './visits.ts'
import { watchPage } from './watch-page.ts'

const urlRequired = -32_042
/** How long the server may take to say how a page ended that it said is done. */
const statusMs = 1_000

/** The pages that the error -32042 names; undefined for any other error. */
export function requiredPages(error: unknown): readonly unknown[] | undefined {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: unknown }
  if (code !== urlRequired || !isPlainObject(data) || !Array.isArray(data.elicitations)) return undefined
  return data.elicitations.length > 0 ? data.elicitations : undefined
}

/** One call that was told to send its person to pages. */
export interface SentToPages {
  readonly human: HumanTime
  /** The pages that this call was told of before, by their ids: where they were opened, and what became of them. */
  readonly visited: Map<string, { readonly url: string; readonly ended: Ended }>
}

interface Page {
  readonly elicitationId: string
  readonly ask: ReadAsk
  readonly url: string
  readonly notice: Notice
}

/** Sends the person to each page, with their consent, and returns when they are done with all of them. */
export async function visitPages(
  conversation: Conversation,
  { pages, error }: { pages: readonly unknown[]; error: unknown },
  call: SentToPages,
): Promise<void> {
  // All at once: one may be done while the person is on another.
  const expected = pages
    .map((page) => readPage(conversation, page))
    .map((page): Page => ({ ...page, notice: conversation.pages.expect(page.elicitationId) }))
  try {
    for (const page of expected) {
      // The server said that it is done, and then that it is not: the person can do nothing more.
      if (call.visited.get(page.elicitationId)?.ended === 'completed') throw error
      const ended = await visitShared(conversation, page, call)
      call.visited.set(page.elicitationId, { url: page.url, ended })
    }
  } finally {
    for (const { notice } of expected) notice.forget()
  }
}

function readPage(conversation: Conversation, page: unknown): Omit<Page, 'notice'> {
  if (!isPlainObject(page) || typeof page.elicitationId !== 'string' || typeof page.url !== 'string') {
    throw new CallRefused('unsafe', 'The server names a page in a way this client does not know.')
  }
  const { elicitationId, url, message } = page
  return { elicitationId, url, ask: readAsk(conversation, message) }
}

async function visitShared(conversation: Conversation, page: Page, call: SentToPages): Promise<Ended> {
  const { visits } = conversation
  for (;;) {
    const others = visits.get(page.elicitationId)
    if (others === undefined) break
    const outcome = await call.human.spend(() => others)
    if (outcome.kind === 'ended') return outcome.ended
    if (outcome.kind === 'refused') throw outcome.error
  }
  const visiting = visitPage(conversation, page, call)
  const outcome = visiting.then(
    (ended): Outcome => ({ kind: 'ended', ended }),
    (error): Outcome =>
      error instanceof CallRefused && error.status !== 'expired' ? { kind: 'refused', error } : { kind: 'dropped' },
  )
  visits.set(page.elicitationId, outcome)
  outcome.finally(() => visits.delete(page.elicitationId))
  return visiting
}

async function visitPage(conversation: Conversation, page: Page, { human, visited }: SentToPages): Promise<Ended> {
  const before = visited.get(page.elicitationId)
  // The person said that they are done, the server that they are not: the page is open, and waited for once more.
  if (before?.url === page.url && before.ended === 'said') {
    const judged = judgeUrl(page.url)
    if (judged.kind === 'fit') return untilDone(conversation, page, judged.url, human)
  }

  if (!conversation.mayAsk()) throw new CallRefused('cancelled', 'The server asks too often.')
  const given = await consent(conversation, page.ask, page.url, human)
  switch (given.kind) {
    case 'opened':
      return untilDone(conversation, page, given.url, human)
    case 'refused':
      throw new CallRefused(given.action === 'decline' ? 'declined' : 'cancelled', 'The page was not opened.')
    case 'unsafe':
      throw new CallRefused('unsafe', `The page was not opened. ${given.reason}`)
  }
}

/** By the server's notice, by tracking it, or by the person's own word, whichever comes first (E11-22). */
function untilDone(
  conversation: Conversation,
  { ask, elicitationId, notice }: Page,
  url: string,
  human: HumanTime,
): Promise<Ended> {
  return human.spend(async (signal) => {
    const over = new AbortController()
    const page = watchPage(conversation, ask, url, signal)
    const tracked = track(conversation.leg, elicitationId, page.tell, AbortSignal.any([signal, over.signal]))
    // The notice does not say how it ended; who can be asked is asked.
    const noticed = notice.done.then(() =>
      conversation.leg.canTrack()
        ? Promise.race([tracked, sleep(statusMs, 'completed' as const, { signal: over.signal })])
        : 'completed',
    )
    try {
      const ended = await Promise.race([tracked, noticed, page.said])
      if (ended === 'cancel') throw new CallRefused('cancelled', 'The person did not go on.')
      return ended === 'completed' ? 'completed' : 'said'
    } finally {
      over.abort()
      page.close()
    }
  })
}
