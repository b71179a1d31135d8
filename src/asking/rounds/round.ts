import { type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server'
import type { ElicitParams } from '../../mcp/elicit-params.ts'
import type { RequestContext } from '../context.ts'
import { sealWalk } from './seal-walk.ts'

/** One round with a 2026 client: the questions that the handler needs answered before it can continue. */
export interface Round {
  /** Adds a question to the round. Never resolves: the handler runs again when the answer is there. */
  put(key: string, params: ElicitParams): Promise<never>
  /** The same for a request of an upstream to the client itself, such as sampling. */
  putRequest(key: string, request: InputRequest): Promise<never>
  /** Ends the round without a question: the client retries by itself. Never resolves. */
  rest(): Promise<never>
  /** Runs one ask. The round does not end while another ask may still add its question. */
  during<T>(ask: () => Promise<T>): Promise<T>
  /** Waits for a person within an ask. This does not keep the round from ending. */
  hold<T>(wait: () => Promise<T>): Promise<T>
  /** Aborted when the round is over or the client has disconnected. */
  readonly signal: AbortSignal
  /** Resolves when the round is over. */
  readonly over: Promise<void>
  readonly requests: ReadonlyMap<string, InputRequest>
}

/** A request to the client, as part of an `input_required` result. */
export interface InputRequest {
  readonly method: string
  readonly params: object
}

/** Starts a round. Questions that are asked at the same time go out together. */
export function startRound(gone: AbortSignal): Round {
  const requests = new Map<string, InputRequest>()
  let ending: AbortController | undefined
  const { promise: over, resolve } = withResolvers()
  let isEnding = false
  let underWay = 0

  function begin(): void {
    underWay += 1
  }

  /** A handler that just got an answer may ask again in the same tick, so the end is decided after it. */
  function pause(): void {
    underWay -= 1
    if (!isEnding) return
    setImmediate(() => {
      if (underWay > 0) return
      ending?.abort()
      resolve()
    })
  }

  function end(): Promise<never> {
    isEnding = true
    pause()
    return new Promise<never>(() => {})
  }

  return {
    put(key, params) {
      requests.set(key, { method: 'elicitation/create', params })
      return end()
    },
    putRequest(key, request) {
      requests.set(key, request)
      return end()
    },
    rest: end,
    async during(ask) {
      begin()
      // An ask that added its question never returns, and was counted as finished when it did.
      return ask().finally(pause)
    },
    async hold(wait) {
      pause()
      return wait().finally(begin)
    },
    // Made on demand: most requests ask nothing.
    get signal() {
      ending ??= new AbortController()
      return AbortSignal.any([ending.signal, gone])
    },
    over,
    requests,
  }
}

/** The `input_required` result that ends a round: its questions, and the sealed state of the walk. */
export async function endRound(context: RequestContext, round: Round): Promise<InputRequiredResult> {
  const requestState = await sealWalk(context)
  const inputRequests = Object.fromEntries(round.requests) as never
  const result = inputRequired(round.requests.size === 0 ? { requestState } : { inputRequests, requestState })
  ours.add(result)
  return result
}

const ours = new WeakSet<object>()

/** Whether `endRound` made this result, so that its state is sealed already. */
export function endsRound(result: object): boolean {
  return ours.has(result)
}

function withResolvers(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
