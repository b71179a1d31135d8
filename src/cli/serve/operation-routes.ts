import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Assent } from '../../assent.ts'
import { isLoopbackAddress } from '../../base/public-address.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Metrics } from '../../observe/metrics.ts'
import { type AddressList, plainAddress } from '../config/address-list.ts'
import { healthReply } from './health.ts'
import { namesThisMachine, type Reply, refusalOf, sendReply } from './reply.ts'

export interface OperationParts {
  readonly assent: Pick<Assent, 'store'>
  readonly gateway?: Pick<Gateway, 'upstreams'> | undefined
  readonly metrics: Metrics
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

type Page = (parts: OperationParts, access: OperationAccess, request: IncomingMessage) => Reply | Promise<Reply>

const pages: Readonly<Record<string, Page>> = {
  '/healthz': () => healthReply,
  '/readyz': readiness,
  '/metrics': numbers,
}

export const operationPaths = Object.keys(pages)

/** The pages for whoever operates an installation: whether it is alive, whether it can work, and its metrics. */
export function operationRoutes(parts: OperationParts, access: OperationAccess): OperationRoutes {
  return (request, response) => {
    const [path = ''] = (request.url ?? '/').split('?', 1)
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined
    if (page === undefined) return false
    replyTo(request, page, parts, access).then(
      (reply) => sendReply(reply, request, response),
      () => sendReply({ status: 500, body: { error: 'This failed.' } }, request, response),
    )
    return true
  }
}

async function replyTo(
  request: IncomingMessage,
  page: Page,
  parts: OperationParts,
  access: OperationAccess,
): Promise<Reply> {
  return refusalOf(request, access.anyHost) ?? page(parts, access, request)
}

/** The questions that are open in the store. Counting stops at 1,000. */
export async function countOpen({ store }: Pick<Assent, 'store'>): Promise<number> {
  return (await store.elicitations.listAllOpen(1_000)).length
}

/** Not ready without its store. An upstream that is down is listed only: it stops its own calls, and no others. */
async function readiness(
  { assent, gateway }: OperationParts,
  _: OperationAccess,
  request: IncomingMessage,
): Promise<Reply> {
  const isUp = await storeAnswers(assent.store)
  const isNear = isFromThisMachine(request)
  const upstreams = (gateway?.upstreams() ?? []).map(({ id, state }) => ({
    id,
    state: state.kind,
    since: state.since.toISOString(),
    restarts: state.restarts,
    ...(state.revision !== undefined && { revision: state.revision }),
    // The reason may quote the upstream, which is not for everybody who can reach this address.
    ...(isNear && state.reason !== undefined && { reason: state.reason }),
  }))
  return {
    status: isUp ? 200 : 503,
    body: { status: isUp ? 'ready' : 'not ready', store: isUp ? 'up' : 'down', upstreams },
  }
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

const patienceMs = 2_000

async function storeAnswers({ elicitations }: Assent['store']): Promise<boolean> {
  let impatient: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    impatient = setTimeout(resolve, patienceMs, false)
  })
  const found = elicitations.get('readyz' as ElicitationId).then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([found, late])
  } finally {
    clearTimeout(impatient)
  }
}

function isFromThisMachine(request: IncomingMessage): boolean {
  const address = plainAddress(request.socket.remoteAddress ?? '')
  return isLoopbackAddress(address) && !isForwarded(request) && namesThisMachine(request.headers.host)
}

/** Whether a proxy passed the request on: then the socket's address is the proxy's, not the client's. */
function isForwarded({ headers }: IncomingMessage): boolean {
  return ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => headers[name] !== undefined)
}
