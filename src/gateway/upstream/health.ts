import type { Clock } from '../../base/clock.ts'
import type { UpstreamContext } from './options.ts'
import type { UpstreamReply, UpstreamState } from './upstream.ts'

/** Keeps how an upstream is doing, by what its requests came to. */
export class Health {
  restarts = 0
  dropped = 0
  readonly #clock: Clock
  readonly #turned: (state: 'up' | 'down', reason?: string) => void
  #kind: UpstreamState['kind'] = 'untried'
  #since: Date
  #reason: string | undefined

  constructor(clock: Clock, turned: (state: 'up' | 'down', reason?: string) => void = () => {}) {
    this.#clock = clock
    this.#turned = turned
    this.#since = clock.now()
  }

  /** A caller who gives up says nothing about the upstream, nor does one bad answer. */
  note(reply: UpstreamReply | { kind: 'found' }) {
    if (reply.kind !== 'lost') return this.#turn('up', undefined)
    if (['down', 'broken', 'unsupported', 'redirected', 'refused'].includes(reply.reason)) this.down(reply.detail)
  }

  down(reason: string): void {
    this.#turn('down', reason)
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

  #turn(kind: 'up' | 'down', reason: string | undefined): void {
    const isNew = this.#kind !== kind
    if (isNew) this.#since = this.#clock.now()
    this.#kind = kind
    this.#reason = reason
    if (isNew) this.#turned(kind, reason)
  }
}

/** Tells of each turn of one upstream. */
export function tellTurns({ news }: UpstreamContext, server: string): (state: 'up' | 'down', reason?: string) => void {
  return (state, reason) =>
    news?.tell({ kind: 'upstream-changed', server, state, ...(reason !== undefined && { reason }) })
}
