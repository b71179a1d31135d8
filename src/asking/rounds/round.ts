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
  return new OpenRound(gone)
}

const noRequests: ReadonlyMap<string, InputRequest> = new Map()

/** A class, so that a thousand waiting requests share its functions. */
class OpenRound implements Round {
  readonly over: Promise<void>
  readonly #gone: AbortSignal
  #requests: Map<string, InputRequest> | undefined
  #ending: AbortController | undefined
  #resolve: () => void = () => {}
  #isEnding = false
  #underWay = 0

  constructor(gone: AbortSignal) {
    this.#gone = gone
    this.over = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  get requests(): ReadonlyMap<string, InputRequest> {
    return this.#requests ?? noRequests
  }

  // Made on demand: most requests ask nothing.
  get signal(): AbortSignal {
    this.#ending ??= new AbortController()
    return AbortSignal.any([this.#ending.signal, this.#gone])
  }

  put(key: string, params: ElicitParams): Promise<never> {
    return this.putRequest(key, { method: 'elicitation/create', params })
  }

  putRequest(key: string, request: InputRequest): Promise<never> {
    this.#requests ??= new Map()
    this.#requests.set(key, request)
    return this.rest()
  }

  rest(): Promise<never> {
    this.#isEnding = true
    this.#pause()
    return new Promise<never>(() => {})
  }

  async during<T>(ask: () => Promise<T>): Promise<T> {
    this.#underWay += 1
    // An ask that added its question never returns, and was counted as finished when it did.
    return ask().finally(() => this.#pause())
  }

  async hold<T>(wait: () => Promise<T>): Promise<T> {
    this.#pause()
    return wait().finally(() => {
      this.#underWay += 1
    })
  }

  /** A handler that just got an answer may ask again in the same tick, so the end is decided after it. */
  #pause(): void {
    this.#underWay -= 1
    if (!this.#isEnding) return
    setImmediate(() => {
      if (this.#underWay > 0) return
      this.#ending?.abort()
      this.#resolve()
    })
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
