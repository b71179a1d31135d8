import { CallRefused } from '../call-refused.ts'
import type { ClientContext } from '../client-context.ts'
import { createHumanTime, type HumanTime } from '../human-time.ts'
import type { CompletionNotice } from '../page/completion-notices.ts'
import { startPageWait } from '../page/page-wait.ts'
import {
  answerForm,
  askToOpenPage,
  readServerAsk,
  type ServerAsk,
  type WireAnswer,
  wireAnswerOf,
} from './answer-ask.ts'
import type { VisibleAsk } from './visible-ask.ts'

/** Answers a question that a 2025 server asks during a call. All tool clocks are paused meanwhile. */
export async function answerPushed(
  context: ClientContext,
  params: unknown,
  requestSignal: AbortSignal,
): Promise<WireAnswer> {
  const asked = readServerAsk(context, params)
  const { clocks, humanMs, mayAsk } = context
  if (!mayAsk()) return { action: 'cancel' }
  const human = createHumanTime(humanMs, AbortSignal.any([requestSignal, clocks.whenAllCallsEnd()]))
  try {
    return await clocks.whileAsking(() =>
      asked.mode === 'form' ? answerForm(context, asked, human) : answerUrl(context, asked, human),
    )
  } catch (error) {
    // The person did not answer, which the protocol calls a cancel.
    if (error instanceof CallRefused) return { action: 'cancel' }
    throw error
  }
}

/** Opens a page. After the accept the server still waits for the page, so the wait is shown to the person. */
async function answerUrl(
  context: ClientContext,
  { ask, url, elicitationId }: Extract<ServerAsk, { mode: 'url' }>,
  human: HumanTime,
): Promise<WireAnswer> {
  if (elicitationId === undefined) return wireAnswerOf(await askToOpenPage(context, ask, url, human))
  // Expected before the page opens, because it may be completed at once.
  const notice = context.completionNotices.expect(elicitationId)
  try {
    const consent = await askToOpenPage(context, ask, url, human)
    if (consent.kind === 'opened') waitForPage(context, ask, consent.url, notice, human)
    else notice.forget()
    return wireAnswerOf(consent)
  } catch (error) {
    notice.forget()
    throw error
  }
}

/** Pauses the tool clocks until the page is completed or its call has ended. The person can cancel at any time. */
function waitForPage(
  { ui, clocks }: ClientContext,
  ask: VisibleAsk,
  url: string,
  notice: CompletionNotice,
  human: HumanTime,
): void {
  const wait = (signal: AbortSignal) => {
    const pageWait = startPageWait({ ui }, ask, url, signal)
    return Promise.race([notice.done, pageWait.reply]).finally(pageWait.close)
  }
  clocks
    .whileAsking(() => human.spend(wait))
    .then((reply) => {
      if (reply === 'cancel') clocks.cancelOnlyCall()
    })
    // The time ran out or the call has ended; both are reported by the call itself.
    .catch(() => {})
    .finally(notice.forget)
}
