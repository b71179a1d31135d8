import type { Account } from '../../asking/account.ts'
import type { Asks } from '../../asking/asks.ts'
import type { RequestContext } from '../../asking/context.ts'
import { risingProgress } from '../../asking/progress.ts'
import type { Round } from '../../asking/rounds/round.ts'
import type { JsonObject } from '../../base/json.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import type { StartedCall } from '../call/fast-path/captured-call.ts'
import type { GatewayContext } from '../context.ts'
import { callerIn, downstreamClient } from '../downstream/client.ts'
import { isLoud } from '../downstream/log-levels.ts'
import type { UpstreamServer } from '../options.ts'
import { type Passing, tooManyAsks } from '../questions/pass-ask.ts'
import type {
  DownstreamClient,
  UpstreamCredential,
  UpstreamEra,
  UpstreamHooks,
  UpstreamReply,
} from '../upstream/upstream.ts'
import { forwardPerRequest } from './forward-per-request.ts'
import { forwardSession } from './forward-session.ts'
import { locked, lostCall } from './lost.ts'
import { metaFor } from './meta.ts'
import { type Hearer, upstreamError } from './upstream-error.ts'
import { progressOf } from './upstream-progress.ts'

/** One request on its way to one upstream. */
export interface Forwarding {
  readonly gateway: GatewayContext
  readonly server: UpstreamServer
  /** Of the request that causes it, named after the upstream. */
  readonly context: RequestContext
  readonly round: Round
  readonly method: string
  readonly params: JsonObject
  readonly paramHeaders?: Readonly<Record<string, string>>
  /** It was sent already, and goes on from there. */
  readonly started?: StartedCall
  /** Called when the upstream asks something. */
  asked?(): void
}

/** The visit in which the gateway asks in this upstream's name: it is the one that needs what is asked for. */
export function inNameOf(context: RequestContext, { id }: UpstreamServer): RequestContext {
  return { ...context, name: id }
}

/** The requester's account at the provider of this upstream; asks for it where it is missing. */
export async function accountFor(
  { provider }: UpstreamServer,
  ask: Asks,
  scopes?: readonly string[],
): Promise<Account | undefined> {
  return provider === undefined ? undefined : ask.connection(provider, scopes === undefined ? {} : { scopes })
}

/** Sends a request with the account it needs. One that the upstream does not take is renewed or asked for again, once: nothing has run. */
export async function forwardWith(
  forwarding: Forwarding,
  ask: Asks,
  account: Account | undefined,
): Promise<UpstreamReply> {
  const reply = await forwarded(forwarding, account)
  if (reply.kind !== 'unauthorized' || account === undefined) return reply
  const isNarrow = reply.error === 'insufficient_scope'
  // Any other 403 is a no that no other account of theirs would change.
  if (reply.status !== 401 && !isNarrow) return reply
  if (reply.status === 401) await account.rejected()
  const wider = isNarrow ? [...new Set([...account.scopes, ...(reply.scopes ?? [])])] : undefined
  return forwarded(forwarding, await accountFor(forwarding.server, ask, wider))
}

/** The result of a request, or the error that the requester must hear instead. */
export function resultIn(server: UpstreamServer, reply: UpstreamReply, hearer: Hearer): JsonObject {
  switch (reply.kind) {
    case 'result':
      return reply.result
    case 'error':
      throw upstreamError(server.id, reply, hearer)
    case 'unauthorized':
      throw locked(server, reply)
    case 'lost':
      throw lostCall(server.id, reply)
  }
}

/** Sends a request to its upstream and passes every question. */
async function forwarded(forwarding: Forwarding, account: Account | undefined): Promise<UpstreamReply> {
  const { gateway, server, context, round, method, params, paramHeaders, asked } = forwarding
  const { settings } = gateway
  const passing: Passing = {
    context: forUpstream(context, server, gateway),
    round,
    asks: settings.elicitation,
    inbox: gateway.inbox(),
    mayAsk: () => mayAsk(gateway, server, context),
    ...(asked && { asked }),
  }
  const client: DownstreamClient = {
    ...downstreamClient(callerIn(context), passing),
    ...(account && { credential: credentialOf(account, gateway, server) }),
  }
  let { started } = forwarding
  // A parked call has an end of its own, whatever its upstream is by now.
  const atHand = started ?? (progressOf(context)?.kind === 'parked' ? parked : undefined)
  const found = atHand ? known(atHand) : await server.upstream.era(client, context.ctx.mcpReq.signal)
  if (found.kind !== 'found') return found
  const { era } = found
  const level = gateway.levels.of(context.ctx, isPerRequest(context.revision))
  if (level !== undefined) await chooseLevel(gateway, server, client, context, era, level)

  const _meta = metaFor(context.ctx, era.perRequest ? level : undefined)
  const send = (added: JsonObject, own: UpstreamHooks, signal: AbortSignal): Promise<UpstreamReply> => {
    const hooks = { ...own, ...passedOn(context, level) }
    const underWay = started
    started = undefined
    if (underWay !== undefined) return underWay.send(hooks, signal)
    return server.upstream.request({
      ...client,
      method,
      params: { ...params, ...added, ...(_meta && { _meta }) },
      ...(paramHeaders && { paramHeaders }),
      // All that is in flight of a 2025 client is that one client's; calls of a 2026 client have a walk each.
      exclusive: !era.perRequest && isPerRequest(context.revision),
      signal,
      hooks,
    })
  }
  if (era.perRequest) return forwardPerRequest(passing, (added) => send(added, {}, context.ctx.mcpReq.signal))
  return forwardSession(gateway, passing, async (hooks, signal) => withoutRounds(await send({}, hooks, signal)))
}

/** A 2025 upstream knows no rounds. What looks like one would be asked by the SDK itself, unchecked and in nobody's name. */
function withoutRounds(reply: UpstreamReply): UpstreamReply {
  if (reply.kind !== 'result' || reply.result.resultType !== 'input_required') return reply
  return { kind: 'lost', reason: 'malformed', sent: true, detail: 'a result of 2026-07-28 from a 2025 upstream' }
}

/** One question more than the upstream may ask is counted with the others that could not be put. */
function mayAsk(gateway: GatewayContext, { id }: UpstreamServer, { assent, call }: RequestContext): boolean {
  if (gateway.mayAsk(id, call.requester)) return true
  assent.events.tell({ kind: 'fallback', server: id, reason: tooManyAsks })
  return false
}

const known = ({ era }: Pick<StartedCall, 'era'>) => ({ kind: 'found', era }) as const

/** What is parked was sent to an upstream of 2025. */
const parked = { era: { revision: '2025-11-25', perRequest: false, capabilities: {} } }

/** An upstream asks in its own name, and a person has the upstream's time to answer. */
function forUpstream(context: RequestContext, server: UpstreamServer, { settings }: GatewayContext): RequestContext {
  return { ...inNameOf(context, server), clocks: { ...context.clocks, question: settings.clocks.upstreamAsk } }
}

/** A 2025 upstream is told once for its session what a 2026 client says with each request. */
async function chooseLevel(
  { levels }: GatewayContext,
  { id, upstream }: UpstreamServer,
  client: DownstreamClient,
  { revision, ctx }: RequestContext,
  { perRequest, capabilities }: UpstreamEra,
  level: string,
): Promise<void> {
  if (perRequest || !isPerRequest(revision) || capabilities.logging === undefined) return
  if (!levels.isNews(id, client.requester, level)) return
  await upstream.request({ ...client, method: 'logging/setLevel', params: { level }, signal: ctx.mcpReq.signal })
}

/** Progress and log lines go to the client whose request they belong to. */
function passedOn({ ctx, revision }: RequestContext, level: string | undefined): UpstreamHooks {
  const tell = (method: string, params: JsonObject) =>
    void ctx.mcpReq.notify({ method, params } as never).catch(() => {})
  return {
    progress(params) {
      if (typeof params.progress !== 'number') return
      tell('notifications/progress', { ...params, progress: risingProgress(ctx, params.progress) })
    },
    log(params) {
      // B26-11: a 2026 client hears nothing that it did not ask for.
      if (level === undefined ? isPerRequest(revision) : !isLoud(params.level, level)) return
      tell('notifications/message', params)
    },
  }
}

function credentialOf(
  { accessToken, headers }: Account,
  { settings }: GatewayContext,
  { provider = '' }: UpstreamServer,
): UpstreamCredential {
  const env = settings.assent.connections.providers.get(provider)?.sending.env
  if (env !== undefined) return { env, value: accessToken }
  const [header = 'Authorization', value = accessToken] = Object.entries(headers)[0] ?? []
  return { header, value }
}
