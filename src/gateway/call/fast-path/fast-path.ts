import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Approving } from '../../../approval/approval.ts'
import { decide } from '../../../approval/policy/decide.ts'
import { isPlainObject, type JsonObject } from '../../../base/json.ts'
import { inBackground } from '../../../base/under-way.ts'
import { type Sent, type StartedCall, walk } from '../../../call/walk.ts'
import type { FastEnd, FastPath, FastRequest, FastSession } from '../../../mcp/fast-path.ts'
import { AskRefused, refusalResult } from '../../../mcp/refusal.ts'
import { isPerRequest, revisionOf } from '../../../mcp/revision.ts'
import { upstreamCallOf } from '../../catalog/catalog.ts'
import type { KnownTool } from '../../catalog/fetch-list.ts'
import { routeTool, type Scope } from '../../catalog/route.ts'
import type { GatewayContext } from '../../context.ts'
import { resultFor, writtenResultFor } from '../../forward/result-for.ts'
import type { UpstreamEra, UpstreamReply, UpstreamResult } from '../../upstream/upstream.ts'
import { paramHeaders, repeatsArguments } from '../param-headers.ts'
import { CallTimer } from '../time-call.ts'
import { asksByForms } from './asks-by-forms.ts'
import { cacheClients } from './cache-clients.ts'
import { type CallsInFlight, type ClientCall, trackCallsInFlight } from './calls-in-flight.ts'
import { CapturedCall } from './captured-call.ts'
import { type PlainCall, readCall } from './read-call.ts'
import type { RoundRequest, Rounds } from './rounds.ts'

const answered: FastEnd = { kind: 'answered' }
const notHandled: FastEnd = { kind: 'not-handled' }
/** A client that receives nothing for long may give up. After this time the SDK server takes over and opens a stream. */
const patienceMs = 10_000
const never = new AbortController().signal
setMaxListeners(0, never)
const noGroups: readonly string[] = []

/**
 * Calls that policy allows, without an SDK server in between. It is transport only: it reads the call narrowly, keeps
 * track of it in flight, and writes the answer. The walk is the one of `call/walk.ts`, with the same records.
 */
export function fastPath(gateway: GatewayContext, scope: Scope, rounds: Rounds): FastPath {
  const clients = cacheClients(gateway)
  const calls = trackCallsInFlight()

  return (request) => {
    const { body, headers, session, authInfo } = request
    if (session !== undefined && body.method === 'notifications/cancelled' && isPlainObject(body.params)) {
      calls.cancel(session, body.params.requestId)
    }
    const call = readCall(body, headers)
    const route = call && routeTool(scope, call.name)
    if (call === undefined || route === undefined || !isServed(gateway, calls, request, call)) return notHandled
    // Where an account is needed, the person may have to be asked for it.
    if (route.server.provider !== undefined) return notHandled
    const client = clients.find(session, authInfo, call)
    if (client === undefined) return notHandled
    if (call.retry !== undefined) return rounds.retry({ request, call, route, client })

    const { news, tracing } = gateway.settings
    const span = tracing?.begin({
      server: route.server.id,
      tool: route.name,
      header: (name) => headers?.[name] as string | undefined,
      meta: call.meta,
    })
    const timer = new CallTimer(news, route.server.id, span)
    const fast = { gateway, rounds, request, call, route, client, clientCall: undefined, timer }
    const go = () => (session === undefined ? callFast(fast) : callInSession(fast, session, calls))
    return span === undefined ? go() : span.run(go)
  }
}

/** Under an id that the session holds for it, so that its client can cancel it at any time. */
function callInSession(fast: FastCall, session: FastSession, calls: CallsInFlight): FastEnd | Promise<FastEnd> {
  const { id } = fast.call
  const release = session.hold(id)
  // The session refuses a second request of one id.
  if (release === undefined) return notHandled
  const clientCall = calls.add(session, id)
  const over = (end: FastEnd): FastEnd => {
    calls.remove(session, id)
    release()
    if (end.kind !== 'not-handled' || !clientCall.isCancelled) return end
    // Cancelled before anything was done about it.
    fast.request.reply.end()
    return answered
  }
  const end = callFast({ ...fast, clientCall })
  if (!(end instanceof Promise)) return over(end)
  return end.then(over, (error) => {
    over(answered)
    throw error
  })
}

/** A 2025 call must be on a session of the version it names, under an id of its own, and want no log messages. */
function isServed(
  { levels }: GatewayContext,
  calls: CallsInFlight,
  { session, headers }: FastRequest,
  { id, envelope }: PlainCall,
): boolean {
  if (session !== undefined && calls.has(session, id)) return false
  // A pipe stays with the revision that it began with.
  if (session !== undefined && headers === undefined && isPerRequestSession(session) !== (envelope !== undefined)) {
    return false
  }
  if (envelope !== undefined) return true
  if (session === undefined) return false
  if (headers !== undefined && headers['mcp-protocol-version'] !== session.server.getNegotiatedProtocolVersion()) {
    return false
  }
  return levels.ofSession(session.id) === undefined
}

function isPerRequestSession({ server }: FastSession): boolean {
  return isPerRequest(revisionOf(server.getNegotiatedProtocolVersion()))
}

interface FastCall extends RoundRequest {
  readonly gateway: GatewayContext
  readonly rounds: Rounds
  /** Undefined for a 2026 client over HTTP, which cancels by closing its connection. */
  readonly clientCall: ClientCall | undefined
  readonly timer: CallTimer
}

/** Without a promise up to sending, if everything that has to be known is known. */
function callFast(fast: FastCall): FastEnd | Promise<FastEnd> {
  const { gateway, route, client } = fast
  const tool = gateway.catalog.knownTool(route.server, route.name, client)
  const era = tool && route.server.upstream.knownEra
  return tool === undefined || era === undefined ? lookUpAndCall(fast) : decideAndCall(fast, tool, era)
}

async function lookUpAndCall(fast: FastCall): Promise<FastEnd> {
  const { gateway, route, client, timer } = fast
  const { server, name } = route
  const tool = await timer.elsewhere(() => gateway.catalog.tool(server, name, client, never))
  if (tool === undefined || 'kind' in tool) return notHandled
  const spoken = await timer.elsewhere(() => server.upstream.era(client, never))
  return spoken.kind === 'found' ? decideAndCall(fast, tool, spoken.era) : notHandled
}

function decideAndCall(fast: FastCall, tool: KnownTool, era: UpstreamEra): FastEnd | Promise<FastEnd> {
  const { gateway, request, call, route, client } = fast
  // The SDK server compares headers with arguments, and refuses in the words of 2026-07-28.
  if (call.envelope !== undefined && repeatsArguments(tool.item.inputSchema)) return notHandled
  const { policy } = gateway.settings.assent.approvals
  const groups = (request.authInfo?.extra?.groups as string[] | undefined) ?? noGroups
  const wanted = upstreamCallOf({ requester: client.requester, groups }, route.server, tool, call.given)
  const decision = decide(policy, wanted)
  // Beyond its limit a call is asked about, as its client can be asked.
  if (decision.limits !== undefined) return notHandled
  if ((decision.decide !== 'allow' && !decision.watched) || isCancelled(fast.clientCall)) return notHandled
  return walkFast(fast, { tool, era }, { call: wanted, walkId: randomUUID(), decided: { policy, decision } })
}

async function walkFast(fast: FastCall, facts: CallFacts, approving: Approving): Promise<FastEnd> {
  let isSent = false
  const entrance = {
    approvals: fast.gateway.settings.assent.approvals,
    send(started: StartedCall) {
      isSent = true
      return send(fast, facts, started)
    },
    finish: 'soon',
  } as const
  try {
    const outcome = await walk<FastEnd, undefined, never>(entrance, approving)
    switch (outcome.kind) {
      case 'done':
        return outcome.result.kind === 'started' ? fast.rounds.goOn(fast, outcome.result) : outcome.result
      case 'refused':
        fast.timer.ended('refused')
        return answer(fast, {
          ...refusalResult(new AskRefused(outcome.status, outcome.message, outcome.reason)),
        } as never)
      case 'question':
        return notHandled
    }
  } catch (error) {
    // What cannot be decided here, such as arguments without a digest, is refused by the SDK server's handler.
    if (!isSent) return notHandled
    throw error
  }
}

/** What is known of a call when it is decided about. */
interface CallFacts {
  readonly tool: KnownTool
  readonly era: UpstreamEra
}

async function send(fast: FastCall, { tool, era }: CallFacts, started: StartedCall): Promise<Sent<FastEnd>> {
  const { gateway, request, call, client, clientCall, timer, route } = fast
  if (isCancelled(clientCall)) return cancelled(fast)
  const { tool: name, arguments: given } = started.call
  const captured = new CapturedCall({ started, tool, era, timer, approvals: gateway.settings.assent.approvals })
  captured.begin(
    route.server.upstream.request({
      // Written out: spreading the client would cost as much as deciding.
      requester: client.requester,
      sessionKey: client.sessionKey,
      capabilities: client.capabilities,
      clientInfo: client.clientInfo,
      credential: client.credential,
      method: 'tools/call',
      params: call.meta === undefined ? { name, arguments: given } : { name, arguments: given, _meta: call.meta },
      paramHeaders: paramHeaders(tool.item.inputSchema, given),
      exclusive: !era.perRequest && call.envelope !== undefined,
      signal: captured.stop,
      hooks: captured,
    }),
  )
  const tooLong = watch(request, clientCall, captured)
  timer.away()
  const reply = await captured.plain
  timer.back()
  clearTimeout(tooLong)
  const outcome = outcomeOf(reply)
  if (outcome !== undefined) {
    timer.ended(outcome)
    const { result, written } = reply as UpstreamResult
    return { result: answer(fast, result, written), outcome }
  }
  if (isCancelled(clientCall)) return cancelled(fast)
  captured.asksByForms = era.perRequest && asksByForms(reply)
  dropWithClient(gateway, request, captured)
  return { result: { kind: 'started', handover: captured }, outcome: 'in-progress' }
}

/** Asked anew each time: the client may cancel while something is awaited. */
const isCancelled = (clientCall: ClientCall | undefined) => clientCall?.isCancelled === true

/** A cancelled request gets no answer. */
function cancelled({ request, timer }: FastCall): Sent<FastEnd> {
  timer.ended('failed')
  request.reply.end()
  return { result: answered, outcome: 'failed' }
}

/** How a final result ended the call. Undefined: there is none, or not yet. */
function outcomeOf(reply: UpstreamReply | undefined): 'done' | 'failed' | undefined {
  if (reply?.kind !== 'result' || reply.result.resultType === 'input_required') return undefined
  return reply.result.isError === true ? 'failed' : 'done'
}

/** Watches a call in flight for its client's cancellation and for the end of our patience, which the returned timer ends. */
function watch({ reply }: FastRequest, clientCall: ClientCall | undefined, captured: CapturedCall): NodeJS.Timeout {
  // A lost connection cancels nothing in a session (H11-07): the client may come back to it.
  if (clientCall !== undefined) clientCall.captured = captured
  else reply.onClose(() => captured.clientGone())
  return setTimeout(giveUp, patienceMs, captured)
}

function giveUp(captured: CapturedCall): void {
  captured.giveUp()
}

/** If no handler takes the call over before its client is gone, it is aborted, and the audit gets its end. */
function dropWithClient({ settings }: GatewayContext, { reply }: FastRequest, captured: CapturedCall): void {
  reply.onClose(() => {
    if (!captured.drop()) return
    const { call, walkId } = captured.started
    captured.timer.ended('failed')
    inBackground(settings.assent.approvals.finish({ call, walkId, outcome: 'failed' }))
  })
}

/** Answers in the words of the upstream, if those are given and nothing within them has to be changed. */
function answer({ gateway, request, call }: FastCall, result: JsonObject, written?: string): FastEnd {
  const { reply, session, http } = request
  const self = call.envelope === undefined ? undefined : gateway.self
  const text = written === undefined || http === undefined ? undefined : writtenResultFor(result, written, self)
  if (text === undefined) {
    reply.send({ jsonrpc: '2.0', id: call.id, result: resultFor(result, self) }, session?.id)
  } else http?.sendText(`{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":${text}}`, session?.id)
  return answered
}
