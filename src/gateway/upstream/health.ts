import type { Clock } from '../../base/clock.ts'
import type { UpstreamContext } from './options.ts'
import type { UpstreamReply, UpstreamState } from './upstream.ts'

/** Tracks whether an upstream is up or down, from the outcomes of its requests. */
export class Health {
  restarts = 0
  dropped = 0
  readonly #clock: Clock
  readonly #onChange: (state: 'up' | 'down', reason?: string) => void
  readonly #lastWords: () => string | undefined
  #kind: UpstreamState['kind'] = 'untried'
  #since: Date
  #reason: string | undefined

  constructor(
    clock: Clock,
    onChange: (state: 'up' | 'down', reason?: string) => void = () => {},
    /** The last line that the upstream wrote to standard error, which often says why it failed. */
    lastWords: () => string | undefined = () => undefined,
  ) {
    this.#clock = clock
    this.#onChange = onChange
    this.#lastWords = lastWords
    this.#since = clock.now()
  }

  /** A cancelled request or a single malformed answer does not change the state. */
  record(reply: UpstreamReply | { kind: 'found' }) {
    if (reply.kind !== 'lost') return this.#set('up', undefined)
    if (['down', 'broken', 'unsupported', 'redirected', 'refused'].includes(reply.reason)) this.markDown(reply.detail)
  }

  /** It is being reached for the first time. */
  markStarting(): void {
    if (this.#kind !== 'untried') return
    this.#kind = 'starting'
    this.#since = this.#clock.now()
  }

  markDown(reason: string): void {
    const words = this.#lastWords()
    this.#set('down', words === undefined ? reason : `${reason}; its last line on standard error: ${words}`)
  }

  state(): Pick<UpstreamState, 'kind' | 'since' | 'reason' | 'restarts' | 'dropped'> {
    return {
      kind: this.#kind,
      since: this.#since,
      restarts: this.restarts,
      dropped: this.dropped,
      ...(this.#reason !== undefined && { reason: this.#reason }),
    }
  }

  #set(kind: 'up' | 'down', reason: string | undefined): void {
    const isNew = this.#kind !== kind
    if (isNew) this.#since = this.#clock.now()
    this.#kind = kind
    this.#reason = reason
    if (isNew) this.#onChange(kind, reason)
  }
}

/** Reports each change of one upstream's health as a gateway event. */
export function reportHealthChanges(
  { news }: UpstreamContext,
  server: string,
): (state: 'up' | 'down', reason?: string) => void {
  return (state, reason) =>
    news?.tell({ kind: 'upstream-changed', server, state, ...(reason !== undefined && { reason }) })
}
