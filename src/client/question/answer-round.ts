import { isPlainObject } from '../../base/json.ts'
import { visibleText } from '../../base/text/visible-text.ts'
import type { Conversation } from '../conversation.ts'
import type { HumanTime } from '../human-time.ts'
import type { OpenPages } from '../page/open-pages.ts'
import { CallRefused } from '../refused.ts'
import { type Ask, answerOf, askForm, consent, readParams, type WireAnswer } from './answer-ask.ts'

/** One call of 2026 whose server asks. */
export interface RoundOfCall {
  readonly conversation: Conversation
  readonly human: HumanTime
  readonly opened: OpenPages
}

/** Answers every question of a round, before the retry (M26-14). */
export async function answerRound(
  call: RoundOfCall,
  inputRequests: Record<string, unknown>,
): Promise<Record<string, WireAnswer>> {
  // All are read before the first is asked: nobody answers in vain.
  const asked = Object.entries(inputRequests).map(([key, request]) => ({ key, ask: readRequest(call, key, request) }))
  const answers: [string, WireAnswer][] = []
  for (const { key, ask } of asked) answers.push([key, await answerOne(call, key, ask)])
  // By entries: a key may be any word, also one that means something to an object.
  return Object.fromEntries(answers)
}

function readRequest({ conversation }: RoundOfCall, key: string, request: unknown): Ask {
  if (!isPlainObject(request) || request.method !== 'elicitation/create')
    throw new CallRefused('unsafe', `The server asks for something this client cannot give: ${visibleText(key)}`)
  return readParams(conversation, request.params)
}

async function answerOne(call: RoundOfCall, key: string, asked: Ask): Promise<WireAnswer> {
  const { conversation, human } = call
  const open = asked.mode === 'url' ? call.opened.get(asked.url) : undefined
  if (open !== undefined) return stillOpen(call, key, open)
  if (!conversation.mayAsk()) return { action: 'cancel' }
  if (asked.mode === 'form') return askForm(conversation, asked, human)
  const given = await consent(conversation, asked.ask, asked.url, human)
  if (given.kind === 'opened') call.opened.add({ key, address: asked.url, url: given.url, ask: asked.ask })
  return answerOf(given)
}

/** The person is not sent there twice: they say when they are done, and the server is told to look again. */
async function stillOpen(
  { human, opened }: RoundOfCall,
  key: string,
  page: NonNullable<ReturnType<OpenPages['get']>>,
): Promise<WireAnswer> {
  page.key = key
  const said = await human.spend(() => page.watched.said)
  if (said === 'done') opened.watchAgain(page)
  else opened.remove(page)
  return { action: said === 'done' ? 'accept' : 'cancel' }
}
