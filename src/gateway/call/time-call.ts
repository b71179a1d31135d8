import type { Events } from '../../base/events.ts'
import type { CallEnded, GatewayNews } from '../../call/news.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import type { CallSpan } from '../tracing.ts'

/** Measures one call, and reports its end once. */
export class CallTimer {
  readonly #news: Events<GatewayNews> | undefined
  readonly #server: string
  readonly #begunAt = performance.now()
  #elsewhereMs = 0
  #leftAt = 0
  #isAsked = false
  #isEnded = false

  /** Undefined where calls are not traced. */
  readonly span: CallSpan | undefined

  constructor(news: Events<GatewayNews> | undefined, server: string, span: CallSpan | undefined) {
    this.#news = news
    this.#server = server
    this.span = span
  }

  /** The call leaves the gateway, until `back`. */
  away(): void {
    this.#leftAt = performance.now()
  }

  back(): void {
    this.#elsewhereMs += performance.now() - this.#leftAt
  }

  /** Runs work whose time is not the gateway's own: a request to an upstream or a provider. */
  async elsewhere<T>(work: () => Promise<T>): Promise<T> {
    this.away()
    try {
      return await work()
    } finally {
      this.back()
    }
  }

  /** A person is waited for, so the time that is left says nothing about the gateway. */
  asked(): void {
    this.#isAsked = true
  }

  ended(outcome: CallEnded['outcome']): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.span?.end(outcome)
    if (this.#news === undefined) return
    const durationMs = performance.now() - this.#begunAt
    const ownMs = this.#isAsked ? undefined : Math.max(0, durationMs - this.#elsewhereMs)
    this.#news.tell({
      kind: 'call-ended',
      server: this.#server,
      outcome,
      durationMs,
      ...(ownMs !== undefined && { ownMs }),
    })
  }

  /** The call ended with this error, which was thrown instead of a result. */
  failed(error: unknown): void {
    this.ended(error instanceof AskRefused && error.status !== 'failed' ? 'refused' : 'failed')
  }
}
