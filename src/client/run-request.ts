import { setTimeout as sleep } from 'node:timers/promises'
import { isPlainObject } from '../base/json.ts'
import { visibleText } from '../base/text/visible-text.ts'
import type { ClientContext } from './client-context.ts'
import { createHumanTime } from './human-time.ts'
import { createOpenPages, type OpenPage } from './page/open-pages.ts'
import { type CallWithPages, openRequiredPages, requiredPages } from './page/required-pages.ts'
import { type PendingWait, pendingText, startPendingWait } from './pending.ts'
import { answerRound, type CallWithQuestions } from './question/answer-round.ts'

export interface RunRequestOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  readonly onProgress?: (text: string) => void
}

type Params = Record<string, unknown>

interface RunningCall extends CallWithQuestions, CallWithPages {
  readonly method: string
  readonly timeoutMs: number
  readonly callerSignal: AbortSignal
  readonly onProgress: ((text: string) => void) | undefined
}

/** Sends one request, asks the person each question that comes back, and returns the result. */
export async function runRequest(
  context: ClientContext,
  method: string,
  params: Params,
  { timeoutMs, signal: callerSignal = new AbortController().signal, onProgress }: RunRequestOptions,
): Promise<Params> {
  const human = createHumanTime(context.humanMs, callerSignal)
  const openPages = createOpenPages(context)
  const call: RunningCall = {
    context,
    method,
    timeoutMs,
    callerSignal,
    onProgress,
    human,
    openPages,
    earlierPages: new Map(),
  }
  let current = params
  let retries = 0
  let idleRounds = 0
  let pendingWait: PendingWait | undefined
  try {
    for (;;) {
      const sentAt = performance.now()
      // A server that opened a page, or returned neither a result nor a question, waits for a person.
      const outcome = await (openPages.size > 0 || idleRounds > 0
        ? sendInHumanTime(call, current)
        : sendInToolTime(call, current))
      switch (outcome.kind) {
        case 'done':
          return outcome.result
        case 'pending':
          // A gateway waits for the approval of somebody else. The same call runs once that is given.
          pendingWait ??= startPendingWait(context, human, outcome.text)
          if (!(await pendingWait.shouldRetry())) return outcome.result
          current = params
          break
        case 'pages':
          if (++retries > context.maxRetries) throw outcome.error
          await openRequiredPages(context, outcome, call)
          // The same request is sent again: its pages have been completed.
          current = params
          break
        case 'input': {
          const { inputRequests, requestState } = outcome
          idleRounds = Object.keys(inputRequests).length === 0 ? idleRounds + 1 : 0
          if (idleRounds > 0) await pace(call, idleRounds, performance.now() - sentAt)
          const inputResponses = await answerRound(call, inputRequests)
          openPages.waitAgainForAll()
          current = nextRound(params, inputResponses, requestState)
          break
        }
        case 'held-too-long':
          break
        case 'page-cancelled': {
          // The server still waits for the page, so it gets the cancel together with the other answers of this round.
          const answers = isPlainObject(current.inputResponses) ? current.inputResponses : {}
          openPages.remove(outcome.page)
          current = nextRound(params, { ...answers, [outcome.page.key]: { action: 'cancel' } }, current.requestState)
        }
      }
    }
  } finally {
    pendingWait?.close()
    openPages.close()
  }
}

/** The state is returned unchanged and never invented (M26-15). No other request carries it (M26-17). */
function nextRound(params: Params, inputResponses: Params, requestState: unknown): Params {
  return {
    ...params,
    ...(Object.keys(inputResponses).length > 0 && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  }
}

type RequestOutcome =
  | { readonly kind: 'done'; readonly result: Params }
  | { readonly kind: 'pending'; readonly result: Params; readonly text: string }
  | { readonly kind: 'input'; readonly inputRequests: Params; readonly requestState: unknown }
  | { readonly kind: 'pages'; readonly pages: readonly unknown[]; readonly error: unknown }
  | { readonly kind: 'page-cancelled'; readonly page: OpenPage }
  | { readonly kind: 'held-too-long' }

/** Sends the request within the tool's time limit. */
async function sendInToolTime(call: RunningCall, params: Params): Promise<RequestOutcome> {
  call.callerSignal.throwIfAborted()
  const clock = call.context.clocks.start(call.timeoutMs, call.callerSignal)
  try {
    return await send(call, params, clock.signal)
  } finally {
    clock.stop()
  }
}

/**
 * Sends a request that the server may hold while the person is on a page. The person can cancel the page at any time.
 */
function sendInHumanTime(call: RunningCall, params: Params): Promise<RequestOutcome> {
  return call.human.spend(async (signal) => {
    const pageCancelled = new AbortController()
    const heldTooLong = AbortSignal.timeout(call.context.heldMs)
    const answered = send(call, params, AbortSignal.any([signal, pageCancelled.signal, heldTooLong])).catch(
      (error: unknown): RequestOutcome => {
        // No server holds a request for this long. Its stream broke unnoticed, so the request is sent again (H26-10).
        if (heldTooLong.aborted && !signal.aborted && !pageCancelled.signal.aborted) return { kind: 'held-too-long' }
        throw error
      },
    )
    const cancelled = call.openPages.whenCancelled().then((page): RequestOutcome => ({ kind: 'page-cancelled', page }))
    const first = await Promise.race([answered, cancelled])
    if (first.kind !== 'page-cancelled') return first
    pageCancelled.abort()
    answered.catch(() => {})
    return first
  })
}

async function send(
  { context, method, onProgress }: RunningCall,
  params: Params,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  try {
    const result = await context.adapter.request(method, params, {
      signal,
      ...(onProgress && { onProgress: ({ message, progress }) => onProgress(visibleText(message ?? `${progress}`)) }),
    })
    return outcomeOfResult(result)
  } catch (error) {
    // The SDK reports every abort as a timeout, so the reason of the signal is thrown instead.
    signal.throwIfAborted()
    const pages = requiredPages(error)
    if (pages === undefined) throw error
    return { kind: 'pages', pages, error }
  }
}

function outcomeOfResult(result: Params): RequestOutcome {
  if (result.resultType !== 'input_required') {
    const text = pendingText(result)
    return text === undefined ? { kind: 'done', result } : { kind: 'pending', result, text }
  }
  const inputRequests = isPlainObject(result.inputRequests) ? result.inputRequests : {}
  return { kind: 'input', inputRequests, requestState: result.requestState }
}

/** Slows down the retries to a server that answers them at once instead of holding them. */
async function pace({ human }: RunningCall, round: number, tookMs: number): Promise<void> {
  const pauseMs = Math.min(250 * round, 2_000) - tookMs
  if (pauseMs > 0) await human.spend((signal) => sleep(pauseMs, undefined, { signal }))
}
