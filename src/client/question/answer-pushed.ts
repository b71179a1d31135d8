import type { Conversation } from '../conversation.ts'
import { createHumanTime, type HumanTime } from '../human-time.ts'
import type { Notice } from '../page/pages.ts'
import { watchPage } from '../page/watch-page.ts'
import { CallRefused } from '../refused.ts'
import { type Ask, answerOf, askForm, consent, readParams, type WireAnswer } from './answer-ask.ts'
import type { ReadAsk } from './read-ask.ts'

/** Answers a question that a server of 2025 asks while a call is under way. All clocks stand still meanwhile. */
export async function answerPushed(
  conversation: Conversation,
  params: unknown,
  gone: AbortSignal,
): Promise<WireAnswer> {
  const asked = readParams(conversation, params)
  const { clocks, humanMs, mayAsk } = conversation
  if (!mayAsk()) return { action: 'cancel' }
  const human = createHumanTime(humanMs, AbortSignal.any([gone, clocks.overWithAll()]))
  try {
    return await clocks.whileAsking(() =>
      asked.mode === 'form' ? askForm(conversation, asked, human) : visit(conversation, asked, human),
    )
  } catch (error) {
    // Nobody answered, which is what a cancel says.
    if (error instanceof CallRefused) return { action: 'cancel' }
    throw error
  }
}

/** The server goes on waiting after the accept, and so does the person. */
async function visit(
  conversation: Conversation,
  { ask, url, elicitationId }: Extract<Ask, { mode: 'url' }>,
  human: HumanTime,
): Promise<WireAnswer> {
  if (elicitationId === undefined) return answerOf(await consent(conversation, ask, url, human))
  // Before it is opened: it may be done before anyone looks.
  const notice = conversation.pages.expect(elicitationId)
  try {
    const given = await consent(conversation, ask, url, human)
    if (given.kind === 'opened') waitForPage(conversation, ask, given.url, notice, human)
    else notice.forget()
    return answerOf(given)
  } catch (error) {
    notice.forget()
    throw error
  }
}

/** Until the server says that it is done or its call is over, the tool's time stands still; the person may leave any time. */
function waitForPage({ ui, clocks }: Conversation, ask: ReadAsk, url: string, notice: Notice, human: HumanTime): void {
  const wait = (signal: AbortSignal) => {
    const page = watchPage({ ui }, ask, url, signal)
    return Promise.race([notice.done, page.said]).finally(page.close)
  }
  clocks
    .whileAsking(() => human.spend(wait))
    .then((said) => {
      if (said === 'cancel') clocks.leave()
    })
    // Too late, or the call is over: it ends by itself.
    .catch(() => {})
    .finally(notice.forget)
}
