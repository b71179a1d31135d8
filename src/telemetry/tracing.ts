import { AsyncLocalStorage } from 'node:async_hooks'
import type { AssentForServers } from '../asking/needs.ts'
import { isPlainObject, type JsonObject } from '../base/json.ts'
import { visibleLine } from '../base/text/visible-text.ts'
import type { ArrivedCall, CallSpan, Tracing } from '../gateway/tracing.ts'
import type { Upstream, UpstreamReply, UpstreamRequest } from '../gateway/upstream/upstream.ts'
import { type EndedSpan, Span } from './span.ts'
import {
  isInShare,
  newSpanId,
  newTraceId,
  readTraceContext,
  type TraceContext,
  writeTraceContext,
} from './trace-context.ts'

/** Follows calls, and gives what ended to `exported`. */
export interface Tracer extends Tracing {
  /** The span of the request that is being served where this is called. */
  current(): Span | undefined
}

const longestName = 128

export function createTracer(share: number, exported: (spans: readonly EndedSpan[]) => void): Tracer {
  const inRequest = new AsyncLocalStorage<Span>()
  const current = () => inRequest.getStore()

  function begin({ server, tool, header, meta }: ArrivedCall): CallSpan {
    // What a message says of itself is nearer to the call than what a connection says.
    const parent =
      readTraceContext(meta?.traceparent, meta?.tracestate) ??
      readTraceContext(header('traceparent'), header('tracestate'))
    const attributes = {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': visibleLine(tool, longestName),
      'assent.server': server,
    }
    const start = { name: `tools/call ${server}`, kind: 'server', attributes } as const
    const span = Span.ofRequest(contextUnder(parent, share), parent?.spanId, start, exported)
    return {
      run: (work) => inRequest.run(span, work),
      end(outcome) {
        span.set('assent.outcome', outcome)
        span.endRequest(outcome === 'failed')
      },
    }
  }

  return {
    current,
    begin,
    assent: (assent) => Object.create(assent, { approvals: { value: tracedApprovals(assent.approvals, current) } }),
    upstream: (upstream) => tracedUpstream(upstream, current),
  }
}

function contextUnder(parent: TraceContext | undefined, share: number): TraceContext {
  if (parent !== undefined) return { ...parent, spanId: newSpanId() }
  const traceId = newTraceId()
  return { traceId, spanId: newSpanId(), isSampled: isInShare(traceId, share) }
}

type Approving = Parameters<AssentForServers['approvals']['approve']>[0]

/** Deciding whether a call may run is a span of its own. */
function tracedApprovals(
  approvals: AssentForServers['approvals'],
  current: () => Span | undefined,
): AssentForServers['approvals'] {
  const begun = ({ walkId }: Approving) =>
    current()?.child({ name: 'decide', attributes: { 'assent.audit.about': walkId } })

  async function followed<T extends { readonly kind: string }>(
    approving: Approving,
    decide: (approving: Approving) => Promise<T>,
  ): Promise<T> {
    const span = begun(approving)
    try {
      const decided = await decide(approving)
      span?.set('assent.decided', decided.kind)
      span?.end()
      return decided
    } catch (error) {
      span?.end(true)
      throw error
    }
  }

  return Object.create(approvals, {
    approve: { value: (approving: Approving) => followed(approving, approvals.approve) },
    begin: { value: (approving: Approving) => followed(approving, approvals.begin) },
    beginAtOnce: {
      value(approving: Approving) {
        const span = begun(approving)
        const decided = approvals.beginAtOnce(approving)
        // Undefined: nothing was decided yet, and `begin` follows.
        if (decided === undefined) return undefined
        span?.set('assent.decided', decided.kind)
        span?.end()
        return decided
      },
    },
  })
}

function tracedUpstream(upstream: Upstream, current: () => Span | undefined): Upstream {
  async function request(asked: UpstreamRequest): Promise<UpstreamReply> {
    const span = current()?.child({
      name: `${asked.method} ${upstream.name}`,
      kind: 'client',
      attributes: { 'mcp.method.name': asked.method, 'assent.server': upstream.name },
    })
    if (span === undefined) return upstream.request(asked)
    const reply = await upstream.request(carrying(asked, writeTraceContext(span.context)))
    span.set('assent.reply', reply.kind === 'lost' ? reply.reason : reply.kind)
    span.end(reply.kind !== 'result')
    return reply
  }
  return {
    name: upstream.name,
    get knownEra() {
      return upstream.knownEra
    },
    era: (client, signal) => upstream.era(client, signal),
    request,
    notify: (client, method, params) => upstream.notify(client, method, params),
    listen: (listener) => upstream.listen(listener),
    release: (client) => upstream.release(client),
    accountChanged: (participant) => upstream.accountChanged(participant),
    state: () => upstream.state(),
    close: () => upstream.close(),
  }
}

/** With the trace in its headers and its `_meta`, in place of the one that the client sent. */
function carrying(asked: UpstreamRequest, trace: Record<string, string>): UpstreamRequest {
  const {
    traceparent: _,
    tracestate: __,
    ...meta
  } = isPlainObject(asked.params._meta) ? (asked.params._meta as JsonObject) : {}
  return { ...asked, params: { ...asked.params, _meta: { ...meta, ...trace } }, traceHeaders: trace }
}
