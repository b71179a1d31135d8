import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Assent } from '../../assent.ts'
import { isLoopbackAddress } from '../../base/public-address.ts'
import { isLoopback } from '../../elicitation/asking/url.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Metrics } from '../../observe/metrics.ts'
import { version } from '../version.ts'

export interface OperationParts {
  readonly assent: Pick<Assent, 'store' | 'login'>
  readonly gateway?: Pick<Gateway, 'upstreams'> | undefined
  readonly metrics: Metrics
  /** True: numbers are also for other machines. */
  readonly metricsOpen: boolean
}

/** Serves `/healthz`, `/readyz` and `/metrics`; false: the path is none of them. */
export type OperationRoutes = (request: IncomingMessage, response: ServerResponse) => boolean

const pages = { '/healthz': health, '/readyz': readiness, '/metrics': numbers } as const

/** What those who run Assent ask it: whether it lives, whether it can work, what it does. */
export function operationRoutes(parts: OperationParts): OperationRoutes {
  return (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] as keyof typeof pages
    if (!Object.hasOwn(pages, path)) return false
    replyTo(parts, request, pages[path]).then(
      (reply) => send(reply, request, response),
      () => send({ status: 500, body: { error: 'This failed.' } }, request, response),
    )
    return true
  }
}

/** The questions that are open in the store, as far as it is worth counting. */
export async function countOpen({ store }: Pick<Assent, 'store'>): Promise<number> {
  return (await store.elicitations.listDue(endOfTime, 1_000)).length
}

const endOfTime = new Date(8.64e15)

interface Reply {
  readonly status: number
  readonly body: object | string
  readonly contentType?: string
}

type Page = (parts: OperationParts, request: IncomingMessage) => Reply | Promise<Reply>

async function replyTo(parts: OperationParts, request: IncomingMessage, page: Page): Promise<Reply> {
  // A page elsewhere that points its own name at this machine is not one of ours.
  if (parts.assent.login === undefined && !isOurs(request.headers.host)) {
    return { status: 403, body: { error: 'This host name is not served here.' } }
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { status: 405, body: { error: 'Only GET is served here.' } }
  }
  return page(parts, request)
}

function health(): Reply {
  return { status: 200, body: { status: 'ok', name: 'assent', version } }
}

/** A store that does not answer: nothing can be asked. An upstream that is down harms its own calls only, so it is shown. */
async function readiness({ assent, gateway }: OperationParts, request: IncomingMessage): Promise<Reply> {
  const isUp = await answers(assent.store)
  const isNear = isFromHere(request)
  const upstreams = (gateway?.upstreams() ?? []).map(({ id, state }) => ({
    id,
    state: state.kind,
    since: state.since.toISOString(),
    restarts: state.restarts,
    ...(state.revision !== undefined && { revision: state.revision }),
    // It may hold what the upstream said, which is not for everybody who can reach this address.
    ...(isNear && state.reason !== undefined && { reason: state.reason }),
  }))
  return {
    status: isUp ? 200 : 503,
    body: { status: isUp ? 'ready' : 'not ready', store: isUp ? 'up' : 'down', upstreams },
  }
}

async function numbers({ metrics, metricsOpen }: OperationParts, request: IncomingMessage): Promise<Reply> {
  if (!metricsOpen && !isFromHere(request)) {
    return { status: 403, body: { error: 'Metrics are for this machine only, unless the settings say otherwise.' } }
  }
  return { status: 200, body: await metrics.text(), contentType: metrics.contentType }
}

const patienceMs = 2_000

async function answers({ elicitations }: Assent['store']): Promise<boolean> {
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

/** Whether this machine asks for itself: what a proxy on it hands on comes from elsewhere. */
function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  const isHandedOn = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => headers[name] !== undefined)
  return isLoopbackAddress(address) && !isHandedOn && isOurs(headers.host)
}

function isOurs(header: string | undefined): boolean {
  return header !== undefined && URL.canParse(`http://${header}`) && isLoopback(new URL(`http://${header}`).hostname)
}

function send({ status, body, contentType }: Reply, { method }: IncomingMessage, response: ServerResponse): void {
  const text = typeof body === 'string' ? body : `${JSON.stringify(body)}\n`
  response.writeHead(status, { 'content-type': contentType ?? 'application/json', 'cache-control': 'no-store' })
  response.end(method === 'HEAD' ? undefined : text)
}
