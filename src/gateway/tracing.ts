import type { AssentForServers } from '../asking/needs.ts'
import type { JsonObject } from '../base/json.ts'
import type { CallEnded } from '../call/news.ts'
import type { Upstream } from './upstream/upstream.ts'

/** Follows calls through the gateway. Without it nothing is followed, and nothing of it is executed. */
export interface Tracing {
  /** The same Assent, whose decisions about a call are part of its trace. */
  assent(assent: AssentForServers): AssentForServers
  /** The same upstream, whose requests are part of the trace of the call that sends them, and carry it on. */
  upstream(upstream: Upstream): Upstream
  /** A call arrived. A span that is never ended is told to nobody. */
  begin(call: ArrivedCall): CallSpan
}

/** A call as it arrived, with what may name the trace that it belongs to. */
export interface ArrivedCall {
  readonly server: string
  readonly tool: string
  header(name: 'traceparent' | 'tracestate'): string | null | undefined
  readonly meta: JsonObject | undefined
}

/** One request of a call, from its arrival to its reply. */
export interface CallSpan {
  /** Whatever happens in this work, and what it awaits, is part of the span. */
  run<T>(work: () => T): T
  /** Ends it once. `asked`: the call goes on in a later request of its client. */
  end(outcome: CallEnded['outcome'] | 'asked'): void
}
