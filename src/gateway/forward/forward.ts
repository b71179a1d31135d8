import { LOG_LEVEL_META_KEY, SERVER_INFO_META_KEY, type ServerContext } from '@modelcontextprotocol/server'
import { type Account, accountOf } from '../../asking/account.ts'
import type { Asks } from '../../asking/asks.ts'
import type { RequestContext } from '../../asking/context.ts'
import { lookAgain } from '../../asking/context.ts'
import { risingProgress } from '../../asking/progress.ts'
import type { Round } from '../../asking/rounds/round.ts'
import type { Clock } from '../../base/clock.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import type { CapturedCall } from '../call/fast-path/captured-call.ts'
import type { GatewayContext } from '../context.ts'
import { downstreamClient } from '../downstream/client.ts'
import { isLoud } from '../downstream/log-levels.ts'
import type { UpstreamServer } from '../options.ts'
import { type Passing, tooManyAsks } from '../questions/pass-ask.ts'
import type { DownstreamClient, UpstreamEra, UpstreamHooks, UpstreamReply } from '../upstream/upstream.ts'
import { forwardPerRequest } from './forward-per-request.ts'
import { forwardSession } from './forward-session.ts'
import { locked, lostCall } from './lost.ts'
import { sessionResult } from './result-for.ts'
import { type Hearer, upstreamError } from './upstream-error.ts'
import { progressOf } from './upstream-progress.ts'

/** One request that is forwarded to one upstream. */
export interface Forwarding {
  readonly gateway: GatewayContext
  readonly server: UpstreamServer
  /** The request that causes it, in the name of the upstream. */
  readonly context: RequestContext
  readonly round: Round
  readonly method: string
  readonly params: JsonObject
  readonly paramHeaders?: Readonly<Record<string, string>>
  /** The fast path sent it already. */
  readonly captured?: CapturedCall
  /** Called when the upstream asks something. */
  asked?(): void
}

/** The same request in the name of an upstream: the gateway's questions say that it is the upstream that needs an answer. */
export function inNameOf(context: RequestContext, { id }: UpstreamServer): RequestContext {
  return { ...context, name: id }
}

/** The requester's account at the provider of this upstream. Asks for it if it is missing. */
export async function accountFor(
  { provider }: UpstreamServer,
  ask: Asks,
  scopes?: readonly string[],
): Promise<Account | undefined> {
  return provider === undefined ? undefined : ask.connection(provider, scopes === undefined ? {} : { scopes })
}

/**
 * Forwards a request with the account it needs. A rejected account is renewed; if it is rejected again, or cannot be renewed,
 * the person is asked to connect it again, once. Nothing has run meanwhile.
 */
export async function forwardWith(
  forwarding: Forwarding,
  ask: Asks,
  account: Account | undefined,
): Promise<UpstreamReply> {
  const reply = await forwarded(forwarding, account)
  if (reply.kind !== 'unauthorized') return reply
  // The server lets nobody in unknown, which this answer shows for the first time. Nothing has run.
  if (account === undefined) return reply.status === 401 ? withFirstAccount(forwarding, ask, reply) : reply
  const isNarrow = reply.error === 'insufficient_scope'
  // Any other 403 is a refusal that another account would not change.
  if (reply.status !== 401 && !isNarrow) return reply
  if (isNarrow) {
    const wider = [...new Set([...account.scopes, ...(reply.scopes ?? [])])]
    return forwarded(forwarding, await accountFor(forwarding.server, ask, wider))
  }
  await account.rejected()
  const renewed = await accountOf(forwarding.context, account.provider)
  if (renewed !== undefined) {
    const again = await forwarded(forwarding, renewed)
    if (again.kind !== 'unauthorized' || again.status !== 401) return again
    await renewed.rejected()
  }
  return forwarded(forwarding, await accountFor(forwarding.server, ask))
}

async function withFirstAccount(forwarding: Forwarding, ask: Asks, refused: UpstreamReply): Promise<UpstreamReply> {
  const { captured: _, ...again } = forwarding
  const account = await accountFor(again.server, ask)
  return account === undefined ? refused : forwardWith(again, ask, account)
}

/** The result of a request in the client's revision. Throws the error that the requester gets instead. */
export function resultIn(server: UpstreamServer, reply: UpstreamReply, hearer: Hearer): JsonObject {
  switch (reply.kind) {
    case 'result':
      return isPerRequest(hearer.revision) ? withoutServerInfo(reply.result) : sessionResult(reply.result)
    case 'error':
      throw upstreamError(server.id, reply, hearer)
    case 'unauthorized':
      throw locked(server, reply)
    case 'lost':
      throw lostCall(server.id, reply)
  }
}

/** For a 2026 client, to whom the SDK server adds its name unless a name is there. */
function withoutServerInfo(result: JsonObject): JsonObject {
  const meta = result._meta
  if (!isPlainObject(meta) || meta[SERVER_INFO_META_KEY] === undefined) return result
  const { [SERVER_INFO_META_KEY]: _, ...kept } = meta as JsonObject
  return { ...result, _meta: kept }
}

/** Sends a request to its upstream, and passes every question on. */
async function forwarded(forwarding: Forwarding, account: Account | undefined): Promise<UpstreamReply> {
  const { gateway, server, context, round, method, params, paramHeaders, asked } = forwarding
  const asks = gateway.asks()
  const open = createLeftOpen(context.assent.clock, server.id)
  const passing: Passing = {
    context: forUpstream(context, server, gateway),
    round,
    ...asks,
    mayAsk: () => mayAsk(gateway, server, context),
    pending: (refusal) => open.leave(refusal),
    ...(asked && { asked }),
  }
  const client: DownstreamClient = {
    ...downstreamClient(context, asks),
    ...(account && { credential: account.credential }),
  }
  let { captured } = forwarding
  // A parked call goes on with the upstream it was sent to, whatever that speaks by now.
  const known = captured ?? (progressOf(context)?.kind === 'parked' ? parked : undefined)
  const found = known
    ? ({ kind: 'found', era: known.era } as const)
    : await server.upstream.era(client, context.ctx.mcpReq.signal)
  if (found.kind !== 'found') return found
  const { era } = found
  const level = gateway.levels.of(context.ctx, isPerRequest(context.revision))
  if (level !== undefined) await setLevel(gateway, server, client, context, { era, level })

  let refused: unknown
  /** However long the account, the upstream's start or a person's answer took: this request may be the one that acts. */
  const mayGo = async (): Promise<boolean> => {
    try {
      await lookAgain(context)
      return true
    } catch (error) {
      refused = error
      return false
    }
  }
  const _meta = metaFor(context.ctx, era.perRequest ? level : undefined)
  const send = async (added: JsonObject, own: UpstreamHooks, gone: AbortSignal): Promise<UpstreamReply> => {
    const signal = AbortSignal.any([gone, open.signal])
    const hooks = { ...own, ...passedOn(context, level), late: mayGo }
    const inFlight = captured
    captured = undefined
    if (inFlight !== undefined) {
      const reply = await inFlight.send(hooks, signal)
      refused = inFlight.refused
      return reply
    }
    if (!(await mayGo())) throw refused
    return server.upstream.request({
      ...client,
      method,
      params: { ...params, ...added, ...(_meta && { _meta }) },
      ...(paramHeaders && { paramHeaders }),
      // All requests in flight of a 2025 client belong to that client. Each call of a 2026 client is a walk of its own.
      exclusive: !era.perRequest && isPerRequest(context.revision),
      signal,
      hooks,
    })
  }
  const reply = era.perRequest
    ? forwardPerRequest(passing, (added) => send(added, {}, context.ctx.mcpReq.signal))
    : forwardSession(gateway, passing, async (hooks, signal) => withoutRounds(await send({}, hooks, signal)))
  const end = await open.unlessLeft(reply)
  if (refused !== undefined) throw refused
  return end
}

/** A 2025 upstream has no rounds. What looks like one would be asked by the SDK server, unchecked and in nobody's name. */
function withoutRounds(reply: UpstreamReply): UpstreamReply {
  if (reply.kind !== 'result' || reply.result.resultType !== 'input_required') return reply
  return { kind: 'lost', reason: 'malformed', sent: true, detail: 'a result of 2026-07-28 from a 2025 upstream' }
}

/** A question beyond the limit counts as a fallback, like any other that could not be asked. */
function mayAsk(gateway: GatewayContext, { id }: UpstreamServer, { assent, call }: RequestContext): boolean {
  if (gateway.mayAsk(id, call.requester)) return true
  assent.events.tell({ kind: 'fallback', server: id, reason: tooManyAsks })
  return false
}

/** Only calls of 2025 upstreams are parked. */
const parked = { era: { revision: '2025-11-25', perRequest: false, capabilities: {} } }

/** An upstream asks in its own name, and a person has as long to answer as `clocks.upstreamAsk` says. */
function forUpstream(context: RequestContext, server: UpstreamServer, { settings }: GatewayContext): RequestContext {
  return { ...inNameOf(context, server), clocks: { ...context.clocks, question: settings.clocks.upstreamAsk } }
}

/** Sets the log level of a 2025 upstream's session, which a 2026 client states with each request. */
async function setLevel(
  { levels }: GatewayContext,
  { id, upstream }: UpstreamServer,
  client: DownstreamClient,
  { revision, ctx }: RequestContext,
  { era, level }: { readonly era: UpstreamEra; readonly level: string },
): Promise<void> {
  if (era.perRequest || !isPerRequest(revision) || era.capabilities.logging === undefined) return
  if (!levels.isNews(id, client.requester, level)) return
  await upstream.request({ ...client, method: 'logging/setLevel', params: { level }, signal: ctx.mcpReq.signal })
}

/** Progress and log messages go to the client whose request they belong to. */
function passedOn({ ctx, revision }: RequestContext, level: string | undefined): UpstreamHooks {
  const tell = (method: string, params: JsonObject) =>
    void ctx.mcpReq.notify({ method, params } as never).catch(() => {})
  return {
    progress(params) {
      if (typeof params.progress !== 'number') return
      tell('notifications/progress', { ...params, progress: risingProgress(ctx, params.progress) })
    },
    log(params) {
      // B26-11: a 2026 client gets only what it asked for.
      if (level === undefined ? isPerRequest(revision) : !isLoud(params.level, level)) return
      tell('notifications/message', params)
    },
  }
}

/** The `_meta` of a forwarded request: what the client sent, without the keys that are between client and gateway. */
function metaFor({ mcpReq }: Pick<ServerContext, 'mcpReq'>, logLevel: string | undefined): JsonObject | undefined {
  const given = Object.entries((mcpReq._meta ?? {}) as JsonObject)
  const kept = given.filter(([key]) => !key.startsWith('io.modelcontextprotocol/'))
  if (logLevel !== undefined) kept.push([LOG_LEVEL_META_KEY, logLevel])
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** How long an upstream that was told that nobody has answered may take to end its call, before the call is cancelled. */
const lastWordsMs = 2_000
const longestWords = 400

/** A call whose question was left open in the inbox, for longer than the call can be held. */
interface LeftOpen {
  /** Aborts when the upstream has had its time to end the call by itself. */
  readonly signal: AbortSignal
  leave(refusal: AskRefused): void
  /** The upstream's reply, unless a question was left open: then throws the refusal, which has the link. */
  unlessLeft(reply: Promise<UpstreamReply>): Promise<UpstreamReply>
}

/** What an upstream says after its question was left open is not the end of the call: the person may still answer. */
function createLeftOpen(clock: Clock, server: string): LeftOpen {
  const over = new AbortController()
  let left: AskRefused | undefined
  let callOff: (() => void) | undefined
  return {
    signal: over.signal,
    leave(refusal) {
      left ??= refusal
      callOff ??= clock.after(lastWordsMs, () => over.abort())
    },
    async unlessLeft(replying) {
      try {
        const reply = await replying
        if (left === undefined) return reply
        throw withLastWords(left, server, reply)
      } catch (error) {
        throw left !== undefined && !isRefusal(error, left) ? left : error
      } finally {
        callOff?.()
      }
    },
  }
}

function isRefusal(error: unknown, { waiting }: AskRefused): boolean {
  return error instanceof AskRefused && error.waiting?.id === waiting?.id
}

/** The upstream may have done something without the answer, so what it said is passed on. */
function withLastWords(refusal: AskRefused, server: string, reply: UpstreamReply): AskRefused {
  const words = reply.kind === 'result' && reply.result.isError !== true ? textIn(reply.result.content) : ''
  if (words === '') return refusal
  const { status, message, reason, waiting } = refusal
  const said = `Without the answer ${server} said: "${visibleLine(words, longestWords)}"`
  return new AskRefused(status, `${message} ${said}`, reason, waiting)
}

function textIn(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content.flatMap((one) => (isPlainObject(one) && typeof one.text === 'string' ? [one.text] : [])).join(' ')
}
