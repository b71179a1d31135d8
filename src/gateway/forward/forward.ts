import type { Account } from '../../asking/account.ts'
import type { Asks } from '../../asking/asks.ts'
import type { Visit } from '../../asking/context.ts'
import { risingProgress } from '../../asking/progress.ts'
import type { Round } from '../../asking/rounds/round.ts'
import type { JsonObject } from '../../base/json.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import type { InHand } from '../call/fast-path/captured-call.ts'
import type { Ways } from '../context.ts'
import { speakingIn, visitorFor } from '../downstream/client.ts'
import { isLoud } from '../downstream/log-levels.ts'
import type { Behind } from '../options.ts'
import { type Passing, tooManyAsks } from '../questions/pass-ask.ts'
import type { Credential, UpstreamEra, UpstreamHooks, UpstreamReply, Visitor } from '../upstream/upstream.ts'
import { forwardPerRequest } from './forward-per-request.ts'
import { forwardSession } from './forward-session.ts'
import { locked, lostCall } from './lost.ts'
import { metaFor } from './meta.ts'
import { type Hearer, upstreamError } from './upstream-error.ts'

/** One request on its way to one upstream. */
export interface Forwarding {
  readonly ways: Ways
  readonly behind: Behind
  /** Of the request that causes it, named after the upstream. */
  readonly visit: Visit
  readonly round: Round
  readonly method: string
  readonly params: JsonObject
  readonly paramHeaders?: Readonly<Record<string, string>>
  /** It was sent already, and goes on from there. */
  readonly inHand?: InHand
  /** Called when the upstream asks something. */
  asked?(): void
}

/** The visit in which the gateway asks in this upstream's name: it is the one that needs what is asked for. */
export function inNameOf(visit: Visit, { id }: Behind): Visit {
  return { ...visit, name: id }
}

/** The requester's account at the provider of this upstream; asks for it where it is missing. */
export async function accountFor(
  { provider }: Behind,
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
  return forwarded(forwarding, await accountFor(forwarding.behind, ask, wider))
}

/** The result of a request, or the error that the requester must hear instead. */
export function resultIn(behind: Behind, reply: UpstreamReply, hearer: Hearer): JsonObject {
  switch (reply.kind) {
    case 'result':
      return reply.result
    case 'error':
      throw upstreamError(behind.id, reply, hearer)
    case 'unauthorized':
      throw locked(behind, reply)
    case 'lost':
      throw lostCall(behind.id, reply)
  }
}

/** Sends a request to its upstream and passes every question. */
async function forwarded(forwarding: Forwarding, account: Account | undefined): Promise<UpstreamReply> {
  const { ways, behind, visit, round, method, params, paramHeaders, asked } = forwarding
  const { settings } = ways
  const passing: Passing = {
    visit: forUpstream(visit, behind, ways),
    round,
    asks: settings.elicitation,
    inbox: ways.inbox(),
    mayAsk: () => mayAsk(ways, behind, visit),
    ...(asked && { asked }),
  }
  const visitor: Visitor = {
    ...visitorFor(speakingIn(visit), passing),
    ...(account && { credential: credentialOf(account, ways, behind) }),
  }
  let { inHand } = forwarding
  // A parked call has an end of its own, whatever its upstream is by now.
  const atHand = inHand ?? (visit.walk.u === 'parked' ? parked : undefined)
  const found = atHand ? known(atHand) : await behind.upstream.era(visitor, visit.ctx.mcpReq.signal)
  if (found.kind !== 'found') return found
  const { era } = found
  const level = ways.levels.of(visit.ctx, isPerRequest(visit.revision))
  if (level !== undefined) await chooseLevel(ways, behind, visitor, visit, era, level)

  const _meta = metaFor(visit.ctx, era.perRequest ? level : undefined)
  const send = (added: JsonObject, own: UpstreamHooks, signal: AbortSignal): Promise<UpstreamReply> => {
    const hooks = { ...own, ...passedOn(visit, level) }
    const underWay = inHand
    inHand = undefined
    if (underWay !== undefined) return underWay.send(hooks, signal)
    return behind.upstream.request({
      ...visitor,
      method,
      params: { ...params, ...added, ...(_meta && { _meta }) },
      ...(paramHeaders && { paramHeaders }),
      // All that is in flight of a 2025 client is that one client's; calls of a 2026 client have a walk each.
      exclusive: !era.perRequest && isPerRequest(visit.revision),
      signal,
      hooks,
    })
  }
  if (era.perRequest) return forwardPerRequest(passing, (added) => send(added, {}, visit.ctx.mcpReq.signal))
  return forwardSession(ways, passing, async (hooks, signal) => withoutRounds(await send({}, hooks, signal)))
}

/** A 2025 upstream knows no rounds. What looks like one would be asked by the SDK itself, unchecked and in nobody's name. */
function withoutRounds(reply: UpstreamReply): UpstreamReply {
  if (reply.kind !== 'result' || reply.result.resultType !== 'input_required') return reply
  return { kind: 'lost', reason: 'rubbish', sent: true, detail: 'a result of 2026-07-28 from a 2025 upstream' }
}

/** One question more than the upstream may ask is counted with the others that could not be put. */
function mayAsk(ways: Ways, { id }: Behind, { assent, call }: Visit): boolean {
  if (ways.mayAsk(id, call.requester)) return true
  assent.events.tell({ kind: 'fallback', server: id, reason: tooManyAsks })
  return false
}

const known = ({ era }: Pick<InHand, 'era'>) => ({ kind: 'found', era }) as const

/** What is parked was sent to an upstream of 2025. */
const parked = { era: { revision: '2025-11-25', perRequest: false, capabilities: {} } }

/** An upstream asks in its own name, and a person has the upstream's time to answer. */
function forUpstream(visit: Visit, behind: Behind, { settings }: Ways): Visit {
  return { ...inNameOf(visit, behind), clocks: { ...visit.clocks, question: settings.clocks.upstreamAsk } }
}

/** A 2025 upstream is told once for its session what a 2026 client says with each request. */
async function chooseLevel(
  { levels }: Ways,
  { id, upstream }: Behind,
  visitor: Visitor,
  { revision, ctx }: Visit,
  { perRequest, capabilities }: UpstreamEra,
  level: string,
): Promise<void> {
  if (perRequest || !isPerRequest(revision) || capabilities.logging === undefined) return
  if (!levels.isNews(id, visitor.requester, level)) return
  await upstream.request({ ...visitor, method: 'logging/setLevel', params: { level }, signal: ctx.mcpReq.signal })
}

/** Progress and log lines go to the client whose request they belong to. */
function passedOn({ ctx, revision }: Visit, level: string | undefined): UpstreamHooks {
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

function credentialOf({ accessToken, headers }: Account, { settings }: Ways, { provider = '' }: Behind): Credential {
  const env = settings.assent.connections.providers.get(provider)?.sending.env
  if (env !== undefined) return { env, value: accessToken }
  const [header = 'Authorization', value = accessToken] = Object.entries(headers)[0] ?? []
  return { header, value }
}
