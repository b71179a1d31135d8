import { type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server'
import type { ElicitParams } from '../../mcp/elicit-params.ts'
import type { RequestContext } from '../context.ts'
import { sealWalk } from './seal-walk.ts'

/** One round of a 2026 client: the questions that a handler puts before it can go on. */
export interface Round {
  /** Puts a question, and never resolves: the handler is walked again when the answer is there. */
  put(key: string, params: ElicitParams): Promise<never>
  /** The same for what an upstream asks of the client itself, such as sampling. */
  putRequest(key: string, request: InputRequest): Promise<never>
  /** Ends the round without a new question: the client comes back by itself. */
  rest(): Promise<never>
  /** Runs one ask. The round does not end while another ask may still put its question. */
  during<T>(ask: () => Promise<T>): Promise<T>
  /** Waits for a person within an ask, which does not keep the round from ending. */
  hold<T>(wait: () => Promise<T>): Promise<T>
  /** Aborts when the round is over or the client is gone. */
  readonly signal: AbortSignal
  /** Resolves when the round is over. */
  readonly over: Promise<void>
  readonly requests: ReadonlyMap<string, InputRequest>
}

/** Something that the client is asked for, by its method. */
export interface InputRequest {
  readonly method: string
  readonly params: object
}

/** Questions put in the same breath go out together. */
export function startRound(gone: AbortSignal): Round {
  const requests = new Map<string, InputRequest>()
  let ending: AbortController | undefined
  const { promise: over, resolve } = withResolvers()
  let isEnding = false
  let underWay = 0

  function begin(): void {
    underWay += 1
  }

  /** A handler that got its answer may ask on in the same breath, so the end is judged after it. */
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
      // An ask that put its question never comes back, and was counted out when it did.
      return ask().finally(pause)
    },
    async hold(wait) {
      pause()
      return wait().finally(begin)
    },
    // Made when it is needed: most requests ask nothing.
    get signal() {
      ending ??= new AbortController()
      return AbortSignal.any([ending.signal, gone])
    },
    over,
    requests,
  }
}

/** What the client is told at the end of a round: the questions, and the sealed state of the walk. */
export async function endRound(context: RequestContext, round: Round): Promise<InputRequiredResult> {
  const requestState = await sealWalk(context)
  const inputRequests = Object.fromEntries(round.requests) as never
  const result = inputRequired(round.requests.size === 0 ? { requestState } : { inputRequests, requestState })
  ours.add(result)
  return result
}

const ours = new WeakSet<object>()

/** Whether a result ends a round of ours, and so is sealed already. */
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
