import type { Dispatcher } from 'undici'
import { ReceivedBytes, type ReserveBytes } from '../wire/received-bytes.ts'
import type { ConnectionPool } from './connection-pool.ts'
import type { DrainingStreams } from './draining-streams.ts'
import { EventReader } from './events.ts'

/** One HTTP request to send. */
export interface Outgoing {
  readonly method: 'POST' | 'GET' | 'DELETE'
  /** Names and values alternately, as undici takes them. */
  readonly headers: string[]
  readonly body?: Buffer | string
}

/** Shared by all requests to one address. */
export interface HttpTarget {
  readonly pool: ConnectionPool
  readonly path: string
  /** The maximum length of a response, in bytes. */
  readonly limit: number
  readonly reserve: ReserveBytes
  readonly draining: DrainingStreams
}

/** How an HTTP request ended. */
export type HttpOutcome =
  | { readonly kind: 'response'; readonly status: number; readonly headers: ResponseHeaders; readonly text: string }
  /** A stream of events ended or broke off. */
  | { readonly kind: 'stream-ended' }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'failed'; readonly error: Error }

/** The headers of a response; a name that came twice has several values. */
export type ResponseHeaders = Record<string, string | string[] | undefined>

/** Receives the progress of one HTTP request. */
export interface ExchangeListener {
  /** The first bytes are about to go out. */
  started?(): void
  head?(status: number, headers: ResponseHeaders): void
  event(data: string): void
  /** Called once, and never after `abort`. */
  ended(outcome: HttpOutcome, exchange: Exchange): void
}

let lastId = 0
const nextId = () => ++lastId

const abandoned = new Error('the request was abandoned')

/** One HTTP request and its response: a body, or a stream of events. Redirects are not followed. */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Unique in this process. */
  readonly id = nextId()
  readonly #listener: ExchangeListener
  readonly #target: HttpTarget
  #controller: Dispatcher.DispatchController | undefined
  #hasEnded = false
  #status = 0
  #headers: ResponseHeaders = {}
  #events: EventReader | undefined
  /** The only chunk of most bodies. */
  #chunk: Buffer | undefined
  #chunks: ReceivedBytes | undefined

  constructor(target: HttpTarget, { method, headers, body }: Outgoing, listener: ExchangeListener) {
    const { pool, path } = target
    this.#listener = listener
    this.#target = target
    try {
      pool.dispatch({ method, path, headers, body: body ?? null }, this)
    } catch (error) {
      // Deferred, so that the caller has the exchange before its listener is called.
      queueMicrotask(() => this.#end({ kind: 'failed', error: error as Error }))
    }
  }

  /** The id from which a stream of events can be resumed. */
  get lastEventId(): string | undefined {
    return this.#events?.lastId
  }

  /** How long the server wants us to wait before we resume the stream, in milliseconds. */
  get retry(): number | undefined {
    return this.#events?.retry
  }

  get isStream(): boolean {
    return this.#events !== undefined
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** The request has ended. A stream that brought its reply may end by itself; any other is closed. */
  release(hasReply: boolean): void {
    if (this.#hasEnded) return
    if (hasReply) this.#target.draining.add(this)
    else this.abort()
  }

  /** Closes it; its listener is not called any more. */
  abort(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#dropBody()
    this.#controller?.abort(abandoned)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#hasEnded) controller.abort(abandoned)
    else this.#listener.started?.()
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (this.#hasEnded || status < 200) return
    // The parsed ones are enough, and a stream may stay open for hours.
    controller.rawHeaders = null
    this.#status = status
    this.#headers = headers
    if (status < 300 && mediaType(headers) === 'text/event-stream') {
      const { limit, reserve } = this.#target
      const listener = {
        event: (data: string) => {
          if (!this.#hasEnded) this.#listener.event(data)
        },
        tooLong: () => this.#tooLong(),
      }
      this.#events = new EventReader(limit, listener, reserve)
    }
    this.#listener.head?.(status, headers)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#hasEnded) return
    if (this.#events !== undefined) return this.#events.read(chunk)
    if (this.#chunk === undefined && chunk.length <= this.#target.limit) this.#chunk = chunk
    else if (!this.#add(chunk)) this.#tooLong()
  }

  onResponseEnd() {
    if (this.#events !== undefined) return this.#end({ kind: 'stream-ended' })
    const text = this.#chunks?.take() ?? this.#chunk?.toString() ?? ''
    this.#end({ kind: 'response', status: this.#status, headers: this.#headers, text })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(this.#events === undefined ? { kind: 'failed', error } : { kind: 'stream-ended' })
  }

  /** Adds a chunk to the first one. False: the body is too long. */
  #add(chunk: Buffer): boolean {
    const { limit, reserve } = this.#target
    if (this.#chunks === undefined) {
      this.#chunks = new ReceivedBytes(limit, reserve)
      if (this.#chunk !== undefined && !this.#chunks.add(this.#chunk)) return false
    }
    return this.#chunks.add(chunk)
  }

  #dropBody(): void {
    this.#chunk = undefined
    this.#chunks?.clear()
    this.#events?.close()
  }

  #tooLong(): void {
    const controller = this.#controller
    this.#end({ kind: 'too-long' })
    controller?.abort(abandoned)
  }

  #end(outcome: HttpOutcome): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#dropBody()
    this.#listener.ended(outcome, this)
  }
}

/** The media type of a response, without its parameters. */
export function mediaType(headers: ResponseHeaders): string {
  const type = headers['content-type']
  return typeof type === 'string' ? (type.split(';', 1)[0] ?? '').trim().toLowerCase() : ''
}
