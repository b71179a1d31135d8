import { newSpanId, type TraceContext } from './trace-context.ts'

/** What a fact about a span may be. Never text of a person, an argument or a secret. */
export type Attribute = string | number | boolean

/** A span that ended. */
export interface EndedSpan {
  readonly context: TraceContext
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: SpanKind
  /** Milliseconds since 1970, with fractions. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, Attribute>>
  readonly isError: boolean
}

export type SpanKind = 'internal' | 'server' | 'client'

/** How a span begins. */
export interface SpanStart {
  readonly name: string
  readonly kind?: SpanKind
  readonly attributes?: Record<string, Attribute>
  /** Default: now. */
  readonly startMs?: number
}

/** The spans of one request that have ended, until the request has. */
interface Request {
  readonly export: (spans: readonly EndedSpan[]) => void
  ended: EndedSpan[] | undefined
}

export const nowMs = (): number => performance.timeOrigin + performance.now()

/**
 * A part of a trace. What ends within a request is exported when the request ends: a request that another handler takes over
 * before anything was done about it leaves nothing behind.
 */
export class Span {
  readonly context: TraceContext
  readonly #request: Request
  readonly #parentId: string | undefined
  readonly #start: Required<SpanStart>
  #isEnded = false

  private constructor(request: Request, context: TraceContext, parentId: string | undefined, start: SpanStart) {
    this.context = context
    this.#request = request
    this.#parentId = parentId
    this.#start = { kind: 'internal', attributes: {}, startMs: nowMs(), ...start }
  }

  /** The span of a request, which its own parts are told with. */
  static ofRequest(
    context: TraceContext,
    parentId: string | undefined,
    start: SpanStart,
    exported: Request['export'],
  ): Span {
    return new Span({ export: exported, ended: [] }, context, parentId, start)
  }

  child(start: SpanStart): Span {
    const context = { ...this.context, spanId: newSpanId() }
    return new Span(this.#request, context, this.context.spanId, start)
  }

  set(name: string, value: Attribute): void {
    if (!this.#isEnded) this.#start.attributes[name] = value
  }

  /** Ends it once. */
  end(isError = false): void {
    if (this.#isEnded) return
    this.#isEnded = true
    if (!this.context.isSampled) return
    const ended = { ...this.#start, context: this.context, parentId: this.#parentId, endMs: nowMs(), isError }
    const request = this.#request
    if (request.ended === undefined) request.export([ended])
    else request.ended.push(ended)
  }

  /** Ends the request: its parts are exported, and what ends later is exported at once. */
  endRequest(isError: boolean): void {
    this.end(isError)
    const { ended } = this.#request
    this.#request.ended = undefined
    if (ended !== undefined && ended.length > 0) this.#request.export(ended)
  }
}
