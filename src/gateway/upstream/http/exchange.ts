import type { Dispatcher } from 'undici'
import { EventReader } from './events.ts'
import type { Lingering } from './lingering.ts'
import type { Connections } from './pool.ts'

/** One HTTP request to send. */
export interface Outgoing {
  readonly method: 'POST' | 'GET' | 'DELETE'
  /** Names and values in turn. */
  readonly headers: string[]
  readonly body?: Buffer | string
}

/** What all requests to one address share. */
export interface HttpTarget {
  readonly connections: Connections
  readonly path: string
  /** How long an answer may be, in bytes. */
  readonly limit: number
  readonly lingering: Lingering
}

/** What an HTTP request came to. */
export type HttpEnd =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: ResponseHeaders; readonly text: string }
  /** A stream of events that ended or broke off. */
  | { readonly kind: 'events-over' }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'failed'; readonly error: Error }

/** As they came; a name that came twice has several values. */
export type ResponseHeaders = Record<string, string | string[] | undefined>

/** Who wants to know. */
export interface ExchangeListener {
  /** The first bytes are about to go out. */
  started?(): void
  head?(status: number, headers: ResponseHeaders): void
  event(data: string): void
  /** Comes once, and not after `abort`. */
  ended(end: HttpEnd, exchange: Exchange): void
}

let lastId = 0
const nextId = () => ++lastId

const nobodyWaits = new Error('nobody waits for this any more')

/** One HTTP request and what comes back: a body, or a stream of events. Redirects are answers like any other. */
export class Exchange implements Dispatcher.DispatchHandler {
  /** One that no other exchange has. */
  readonly id = nextId()
  readonly #listener: ExchangeListener
  readonly #limit: number
  readonly #lingering: Lingering
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #status = 0
  #headers: ResponseHeaders = {}
  #events: EventReader | undefined
  #chunks: Buffer[] = []
  #length = 0

  constructor(road: HttpTarget, { method, headers, body }: Outgoing, listener: ExchangeListener) {
    const { connections, path, limit, lingering } = road
    this.#listener = listener
    this.#limit = limit
    this.#lingering = lingering
    try {
      connections.dispatch({ method, path, headers, body: body ?? null }, this)
    } catch (error) {
      // Not before the caller has it in hand.
      queueMicrotask(() => this.#end({ kind: 'failed', error: error as Error }))
    }
  }

  /** Where a stream of events can be taken up again. */
  get lastEventId(): string | undefined {
    return this.#events?.lastId
  }

  get retry(): number | undefined {
    return this.#events?.retry
  }

  get isStream(): boolean {
    return this.#events !== undefined
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Nobody waits for it: a stream that brought its answer may end by itself, any other is closed. */
  leave(hasAnswer: boolean): void {
    if (this.#isOver) return
    if (hasAnswer) this.#lingering.add(this)
    else this.abort()
  }

  /** Closes it; nothing more is heard of it. */
  abort(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#chunks = []
    this.#controller?.abort(nobodyWaits)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(nobodyWaits)
    else this.#listener.started?.()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (this.#isOver || status < 200) return
    this.#status = status
    this.#headers = headers
    if (status < 300 && mediaType(headers) === 'text/event-stream') {
      this.#events = new EventReader(this.#limit, {
        event: (data) => {
          if (!this.#isOver) this.#listener.event(data)
        },
        tooLong: () => this.#tooLong(),
      })
    }
    this.#listener.head?.(status, headers)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#isOver) return
    if (this.#events !== undefined) return this.#events.read(chunk)
    this.#length += chunk.length
    if (this.#length > this.#limit) this.#tooLong()
    else this.#chunks.push(chunk)
  }

  onResponseEnd() {
    if (this.#events !== undefined) return this.#end({ kind: 'events-over' })
    const [first] = this.#chunks
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks)
    this.#end({ kind: 'answer', status: this.#status, headers: this.#headers, text: bytes.toString() })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(this.#events === undefined ? { kind: 'failed', error } : { kind: 'events-over' })
  }

  #tooLong(): void {
    const controller = this.#controller
    this.#end({ kind: 'too-long' })
    controller?.abort(nobodyWaits)
  }

  #end(end: HttpEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#chunks = []
    this.#listener.ended(end, this)
  }
}

/** The media type of an answer, without its parameters. */
export function mediaType(headers: ResponseHeaders): string {
  const type = headers['content-type']
  return typeof type === 'string' ? (type.split(';', 1)[0] ?? '').trim().toLowerCase() : ''
}
