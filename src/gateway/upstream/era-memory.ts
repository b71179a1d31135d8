import type { Clock } from '../../base/clock.ts'
import { codes } from '../../mcp/codes.ts'
import type { UpstreamEra, UpstreamReply } from './upstream.ts'

// Errors that servers of either era give, so they do not mean that the remembered era is wrong.
const inconclusiveCodes = new Set<number>([
  codes.methodNotFound,
  codes.invalidParams,
  codes.internalError,
  codes.headerMismatch,
  codes.missingCapability,
  codes.resourceNotFound,
  codes.urlRequired,
])
const suspectReasons = new Set(['down', 'broken', 'malformed', 'refused', 'redirected', 'unsupported'])

/** Remembers the era that probing found, for a limited time and until a failure (V26-06). */
export class EraMemory {
  readonly #clock: Clock
  readonly #maxAge: number
  #era: UpstreamEra | undefined
  #until = 0

  constructor(clock: Clock, maxAge: number) {
    this.#clock = clock
    this.#maxAge = maxAge
  }

  get era(): UpstreamEra | undefined {
    if (this.#era !== undefined && this.#clock.now().getTime() >= this.#until) this.#era = undefined
    return this.#era
  }

  remember(era: UpstreamEra): void {
    this.#era = era
    this.#until = this.#clock.now().getTime() + this.#maxAge
  }

  forget(): void {
    this.#era = undefined
  }

  /** Forgets the era if this reply may mean that the upstream was replaced by one of another era. */
  forgetIfSuspect(reply: UpstreamReply): void {
    if (reply.kind === 'lost' && suspectReasons.has(reply.reason)) this.forget()
    if (reply.kind === 'error' && this.#era?.perRequest === true && isSuspect(reply.error.code)) this.forget()
  }
}

function isSuspect(code: number): boolean {
  return code <= codes.serverError && code >= -32_768 && !inconclusiveCodes.has(code)
}
