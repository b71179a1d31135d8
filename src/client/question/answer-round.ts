import { isPlainObject } from '../../base/json.ts'
import { visibleText } from '../../base/text/visible-text.ts'
import { CallRefused } from '../call-refused.ts'
import type { ClientContext } from '../client-context.ts'
import type { HumanTime } from '../human-time.ts'
import type { OpenPages } from '../page/open-pages.ts'
import {
  answerForm,
  askToOpenPage,
  readServerAsk,
  type ServerAsk,
  type WireAnswer,
  wireAnswerOf,
} from './answer-ask.ts'

/** A 2026-07-28 call whose server asks questions. */
export interface CallWithQuestions {
  readonly context: ClientContext
  readonly human: HumanTime
  readonly openPages: OpenPages
}

/** Answers every question of a round, before the retry (M26-14). */
export async function answerRound(
  call: CallWithQuestions,
  inputRequests: Record<string, unknown>,
): Promise<Record<string, WireAnswer>> {
  // All questions are parsed before the first one is asked, so that nobody answers a round that then fails.
  const asked = Object.entries(inputRequests).map(([key, request]) => ({ key, ask: readRequest(call, key, request) }))
  const answers: [string, WireAnswer][] = []
  for (const { key, ask } of asked) answers.push([key, await answerOne(call, key, ask)])
  // By entries, because a key may be any string, also `__proto__`.
  return Object.fromEntries(answers)
}

function readRequest({ context }: CallWithQuestions, key: string, request: unknown): ServerAsk {
  if (!isPlainObject(request) || request.method !== 'elicitation/create')
    throw new CallRefused(
      'unsafe',
      `The server asks for an input that this client does not support: ${visibleText(key)}`,
    )
  return readServerAsk(context, request.params)
}

async function answerOne(call: CallWithQuestions, key: string, asked: ServerAsk): Promise<WireAnswer> {
  const { context, human } = call
  const open = asked.mode === 'url' ? call.openPages.get(asked.url) : undefined
  if (open !== undefined) return answerForOpenPage(call, key, open)
  if (!context.mayAsk()) return { action: 'cancel' }
  if (asked.mode === 'form') return answerForm(context, asked, human)
  const consent = await askToOpenPage(context, asked.ask, asked.url, human)
  if (consent.kind === 'opened') call.openPages.add({ key, address: asked.url, url: consent.url, ask: asked.ask })
  return wireAnswerOf(consent)
}

/**
 * A page that is open already is not opened again: when the person is done, the server gets an accept and checks again.
 */
async function answerForOpenPage(
  { human, openPages }: CallWithQuestions,
  key: string,
  page: NonNullable<ReturnType<OpenPages['get']>>,
): Promise<WireAnswer> {
  page.key = key
  const reply = await human.spend(() => page.wait.reply)
  if (reply === 'done') openPages.waitAgain(page)
  else openPages.remove(page)
  return { action: reply === 'done' ? 'accept' : 'cancel' }
}
