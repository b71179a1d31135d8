import type { Clock } from '../../base/clock.ts'
import type { UpstreamContext } from './options.ts'
import type { UpstreamReply, UpstreamState } from './upstream.ts'

/** Tracks whether an upstream is up or down, from the outcomes of its requests. */
export class Health {
  restarts = 0
  dropped = 0
  readonly #clock: Clock
  readonly #onChange: (state: 'up' | 'down', reason?: string) => void
  #kind: UpstreamState['kind'] = 'untried'
  #since: Date
  #reason: string | undefined

  constructor(clock: Clock, onChange: (state: 'up' | 'down', reason?: string) => void = () => {}) {
    this.#clock = clock
    this.#onChange = onChange
    this.#since = clock.now()
  }

  /** A cancelled request or a single malformed answer does not change the state. */
  record(reply: UpstreamReply | { kind: 'found' }) {
    if (reply.kind !== 'lost') return this.#set('up', undefined)
    if (['down', 'broken', 'unsupported', 'redirected', 'refused'].includes(reply.reason)) this.markDown(reply.detail)
  }

  markDown(reason: string): void {
    this.#set('down', reason)
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
