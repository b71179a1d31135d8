import { setTimeout as sleep } from 'node:timers/promises'
import { isPlainObject } from '../base/json.ts'
import { visibleText } from '../base/text/visible-text.ts'
import type { Conversation } from './conversation.ts'
import { createHumanTime } from './human-time.ts'
import { createOpenPages, type OpenPage } from './page/open-pages.ts'
import { requiredPages, type SentToPages, visitPages } from './page/required-pages.ts'
import { type Pending, pendingText, waitPending } from './pending.ts'
import { answerRound, type RoundOfCall } from './question/answer-round.ts'

export interface ConverseOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  readonly onProgress?: (text: string) => void
}

type Params = Record<string, unknown>

interface Call extends RoundOfCall, SentToPages {
  readonly method: string
  readonly timeoutMs: number
  readonly gone: AbortSignal
  readonly onProgress: ((text: string) => void) | undefined
}

/** Sends one request, asks the person whatever comes back as a question, and gives the result. */
export async function converse(
  conversation: Conversation,
  method: string,
  params: Params,
  { timeoutMs, signal: gone = new AbortController().signal, onProgress }: ConverseOptions,
): Promise<Params> {
  const human = createHumanTime(conversation.humanMs, gone)
  const opened = createOpenPages(conversation)
  const call: Call = { conversation, method, timeoutMs, gone, onProgress, human, opened, visited: new Map() }
  let current = params
  let retries = 0
  let idleRounds = 0
  let pending: Pending | undefined
  try {
    for (;;) {
      const sentAt = performance.now()
      // Whoever asks nothing and has no result waits for a person, and so does whoever sent them to a page.
      const sent = await (opened.size > 0 || idleRounds > 0 ? sendHeld(call, current) : sendTimed(call, current))
      switch (sent.kind) {
        case 'done':
          return sent.result
        case 'pending':
          // A gateway waits for somebody else's yes: the same call runs once it is given.
          pending ??= waitPending(conversation, human, sent.text)
          if (!(await pending.isToBeSentAgain())) return sent.result
          current = params
          break
        case 'pages':
          if (++retries > conversation.mostRetries) throw sent.error
          await visitPages(conversation, sent, call)
          // The same request again: what it needed is there now.
          current = params
          break
        case 'input': {
          const { inputRequests, requestState } = sent
          idleRounds = Object.keys(inputRequests).length === 0 ? idleRounds + 1 : 0
          if (idleRounds > 0) await pace(call, idleRounds, performance.now() - sentAt)
          const inputResponses = await answerRound(call, inputRequests)
          opened.watchAll()
          current = nextRound(params, inputResponses, requestState)
          break
        }
        case 'lost':
          break
        case 'left': {
          // The person gave up on a page while the server waits for it, which is told so, with all else it was told.
          const told = isPlainObject(current.inputResponses) ? current.inputResponses : {}
          opened.remove(sent.page)
          current = nextRound(params, { ...told, [sent.page.key]: { action: 'cancel' } }, current.requestState)
        }
      }
    }
  } finally {
    pending?.close()
    opened.close()
  }
}

/** The state goes back as it came, byte for byte, and none is made up (M26-15); only this request carries it (M26-17). */
function nextRound(params: Params, inputResponses: Params, requestState: unknown): Params {
  return {
    ...params,
    ...(Object.keys(inputResponses).length > 0 && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  }
}

type Sent =
  | { readonly kind: 'done'; readonly result: Params }
  | { readonly kind: 'pending'; readonly result: Params; readonly text: string }
  | { readonly kind: 'input'; readonly inputRequests: Params; readonly requestState: unknown }
  | { readonly kind: 'pages'; readonly pages: readonly unknown[]; readonly error: unknown }
  | { readonly kind: 'left'; readonly page: OpenPage }
  | { readonly kind: 'lost' }

/** The tool has its time, and no more. */
async function sendTimed(call: Call, params: Params): Promise<Sent> {
  call.gone.throwIfAborted()
  const clock = call.conversation.clocks.start(call.timeoutMs, call.gone)
  try {
    return await send(call, params, clock.signal)
  } finally {
    clock.stop()
  }
}

/** While a person is elsewhere, the server may hold the request for as long as they may take; they may leave any time. */
function sendHeld(call: Call, params: Params): Promise<Sent> {
  return call.human.spend(async (signal) => {
    const leaving = new AbortController()
    const lost = AbortSignal.timeout(call.conversation.heldMs)
    const answered = send(call, params, AbortSignal.any([signal, leaving.signal, lost])).catch(
      (error: unknown): Sent => {
        // No server holds a request for so long: its stream broke in silence, and the request is made anew (H26-10).
        if (lost.aborted && !signal.aborted && !leaving.signal.aborted) return { kind: 'lost' }
        throw error
      },
    )
    const left = call.opened.left().then((page): Sent => ({ kind: 'left', page }))
    const first = await Promise.race([answered, left])
    if (first.kind !== 'left') return first
    leaving.abort()
    answered.catch(() => {})
    return first
  })
}

async function send({ conversation, method, onProgress }: Call, params: Params, signal: AbortSignal): Promise<Sent> {
  try {
    const result = await conversation.leg.request(method, params, {
      signal,
      ...(onProgress && { onProgress: ({ message, progress }) => onProgress(visibleText(message ?? `${progress}`)) }),
    })
    return sentOf(result)
  } catch (error) {
    // The SDK says of every abort that the request timed out.
    signal.throwIfAborted()
    const pages = requiredPages(error)
    if (pages === undefined) throw error
    return { kind: 'pages', pages, error }
  }
}

function sentOf(result: Params): Sent {
  if (result.resultType !== 'input_required') {
    const text = pendingText(result)
    return text === undefined ? { kind: 'done', result } : { kind: 'pending', result, text }
  }
  const inputRequests = isPlainObject(result.inputRequests) ? result.inputRequests : {}
  return { kind: 'input', inputRequests, requestState: result.requestState }
}

/** A server that does not hold its retries is not asked without end. */
async function pace({ human }: Call, round: number, tookMs: number): Promise<void> {
  const pauseMs = Math.min(250 * round, 2_000) - tookMs
  if (pauseMs > 0) await human.spend((signal) => sleep(pauseMs, undefined, { signal }))
}
