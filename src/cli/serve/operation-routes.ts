import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Assent } from '../../assent.ts'
import type { AddressList } from '../../base/request-source.ts'
import { warnOf } from '../../base/under-way.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { shortId, showInstances } from '../../instance/shown-instances.ts'
import type { Metrics } from '../../observe/metrics.ts'
import { healthReply } from './health.ts'
import { createReadiness, type Readiness } from './readiness.ts'
import { isForwarded, isFromThisMachine, type Reply, refusalOf, sendReply } from './reply.ts'

export interface OperationParts {
  readonly assent: Pick<Assent, 'store' | 'clockProblem'>
  readonly gateway?: (Pick<Gateway, 'upstreams'> & Partial<Pick<Gateway, 'instance'>>) | undefined
  readonly metrics: Metrics
  /** How far the clocks of instances may be apart, in milliseconds. Default: 10 seconds. */
  readonly skewMs?: number
  /** Whether this process was told to stop. */
  isStopping?(): boolean
}

/** Whom an address serves. */
export interface OperationAccess {
  /** False: only requests whose `Host` header names this machine are answered. */
  readonly anyHost: boolean
  /** Who may read `/metrics`, besides this machine. */
  readonly metrics: AddressList | 'everyone'
}

/** Answers `/healthz`, `/readyz` and `/metrics`, and returns false for any other path. */
export type OperationRoutes = (request: IncomingMessage, response: ServerResponse) => boolean

interface Parts extends OperationParts {
  ready(): Promise<Readiness>
}

type Page = (parts: Parts, access: OperationAccess, request: IncomingMessage) => Reply | Promise<Reply>

const pages: Readonly<Record<string, Page>> = {
  '/healthz': () => healthReply,
  '/readyz': readiness,
  '/metrics': numbers,
}

export const operationPaths = Object.keys(pages)

/** The pages for whoever operates an installation: whether it is alive, whether it can work, and its metrics. */
export function operationRoutes(
  given: OperationParts,
  access: OperationAccess,
  onError: (error: unknown) => void = warnOf,
): OperationRoutes {
  const parts = { ...given, ready: createReadiness(given.assent) }
  return (request, response) => {
    const [path = ''] = (request.url ?? '/').split('?', 1)
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined
    if (page === undefined) return false
    replyTo(request, page, parts, access).then(
      (reply) => sendReply(reply, request, response),
      (error) => {
        onError(error)
        sendReply({ status: 500, body: { error: 'This failed.' } }, request, response)
      },
    )
    return true
  }
}

async function replyTo(request: IncomingMessage, page: Page, parts: Parts, access: OperationAccess): Promise<Reply> {
  return refusalOf(request, access.anyHost) ?? page(parts, access, request)
}

/** The questions that are open in the store. Counting stops at 1,000. */
export async function countOpen({ store }: Pick<Assent, 'store'>): Promise<number> {
  return (await store.elicitations.listAllOpen(1_000)).length
}

/** An upstream that is down is listed only: it stops its own calls, and no others. */
async function readiness(parts: Parts, _: OperationAccess, request: IncomingMessage): Promise<Reply> {
  const { gateway } = parts
  const found = await parts.ready()
  const { store } = found
  const problems = parts.isStopping?.() === true ? [stopping, ...found.problems] : found.problems
  const isReady = problems.length === 0
  const isNear = isFromThisMachine(request)
  const upstreams = (gateway?.upstreams() ?? []).map(({ id, state, leftOut }) => ({
    id,
    state: state.kind,
    since: state.since.toISOString(),
    restarts: state.restarts,
    ...(state.revision !== undefined && { revision: state.revision }),
    // The reason and the names of items may quote the upstream, which is not for everybody who can reach this address.
    ...(isNear && state.reason !== undefined && { reason: state.reason }),
    ...(isNear && state.kind !== 'up' && state.stderr.length > 0 && { lastLine: state.stderr.at(-1) }),
    ...(leftOut.length > 0 && { leftOut: isNear ? leftOut : leftOut.length }),
  }))
  return {
    status: isReady ? 200 : 503,
    body: {
      status: isReady ? 'ready' : 'not ready',
      store,
      ...(!isReady && { problems }),
      ...(store === 'up' && (await whoIsThere(parts))),
      upstreams,
    },
  }
}

const stopping = 'This instance is stopping. It finishes what it can, and will soon take no new requests.'

/** The instances that share the store. What is wrong with the clock of another one is told, and does not make this one unready. */
async function whoIsThere({ assent, gateway, skewMs = 10_000 }: OperationParts) {
  const all = await assent.store.instances.list().catch(() => [])
  const { running, problems } = showInstances(all, assent.store.clock.now(), skewMs)
  const instances = running.map((one) => ({
    id: shortId(one),
    ...(one.id === gateway?.instance && { isThis: true }),
    started: one.startedAt.toISOString(),
    seen: one.seenAt.toISOString(),
    clockAheadMs: one.aheadMs,
    ...(one.isStopping && { isStopping: true }),
  }))
  return { instances, ...(problems.length > 0 && { warnings: problems }) }
}

const metricsRefused =
  'Metrics are served to this machine only. To let other machines read them, list their addresses under metrics.allow in the settings, or serve them on an address of their own with metrics.listen.'

async function numbers({ metrics }: OperationParts, access: OperationAccess, request: IncomingMessage): Promise<Reply> {
  if (!mayReadMetrics(request, access.metrics)) return { status: 403, body: { error: metricsRefused } }
  return { status: 200, body: await metrics.text(), contentType: metrics.contentType }
}

function mayReadMetrics(request: IncomingMessage, readers: OperationAccess['metrics']): boolean {
  if (readers === 'everyone' || isFromThisMachine(request)) return true
  return !isForwarded(request) && readers.includes(request.socket.remoteAddress ?? '')
}
