import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { decide } from '../../../approval/policy/decide.ts'
import type { ToolCall } from '../../../approval/tool-call.ts'
import { isPlainObject, type JsonObject } from '../../../base/json.ts'
import type { FastPath, Post } from '../../../mcp/http/fast-path.ts'
import { AskRefused, refusalResult } from '../../../mcp/refusal.ts'
import type { KnownTool } from '../../catalog/catalog.ts'
import type { GatewayContext } from '../../context.ts'
import type { UpstreamServer } from '../../options.ts'
import type { DownstreamClient, UpstreamEra, UpstreamReply } from '../../upstream/upstream.ts'
import { callOf } from '../call-tool.ts'
import { paramHeaders, repeatsArguments } from '../param-headers.ts'
import { cacheClients } from './cache-clients.ts'
import { type CallsInFlight, type ClientCall, trackCallsInFlight } from './calls-in-flight.ts'
import { CapturedCall } from './captured-call.ts'
import { type PlainCall, readCall } from './read-call.ts'
import { type Answerer, answerWith, endWithoutAnswer, perRequestResult } from './write-answer.ts'

const usual = {}
/** A client that hears nothing for long may give up: from here on it is answered by a stream. */
const patienceMs = 10_000
const never = new AbortController().signal
setMaxListeners(0, never)

/** One server's calls that policy allows, there and back without a server of the SDK. All else goes the usual way. */
export function fastPath(gateway: GatewayContext, server: UpstreamServer, answerer: Answerer): FastPath {
  const clients = cacheClients(gateway)
  const pending = trackCallsInFlight()

  return async (post) => {
    const { body, headers, session, authInfo } = post
    if (session !== undefined && body.method === 'notifications/cancelled' && isPlainObject(body.params)) {
      pending.cancel(session, body.params.requestId)
    }
    // Where an account is needed, the person may have to be asked for it.
    const call = server.provider === undefined ? readCall(body, headers) : undefined
    if (call === undefined || !isInPlace(gateway, pending, post, call)) return usual
    const client = clients.find(session, authInfo, call)
    if (client === undefined) return usual

    const release = session?.hold()
    const clientCall = session && call.client === undefined ? pending.add(session, call.id) : undefined
    try {
      const end = await fastEnd({ gateway, server, answerer, post, call, client, clientCall, began: performance.now() })
      if (end === 'answered' || !isCancelled(clientCall) || end.left !== undefined) return end
      // Taken back before anybody began with it.
      endWithoutAnswer(post.reply)
      return 'answered'
    } finally {
      if (clientCall !== undefined && session !== undefined) pending.remove(session, call.id)
      release?.()
    }
  }
}

/** Whether a call of 2025 is on a session that speaks the version it names, and under an id of its own. */
function isInPlace(
  { levels }: GatewayContext,
  pending: CallsInFlight,
  { session, headers }: Post,
  { id, client }: PlainCall,
): boolean {
  if (client !== undefined) return true
  if (session === undefined || pending.has(session, id)) return false
  if (headers['mcp-protocol-version'] !== session.server.getNegotiatedProtocolVersion()) return false
  return levels.of({ sessionId: session.id } as never, false) === undefined
}

interface Found {
  readonly gateway: GatewayContext
  readonly server: UpstreamServer
  readonly answerer: Answerer
  readonly post: Post
  readonly call: PlainCall
  readonly client: DownstreamClient
  /** There on a call of a 2025 session alone. */
  readonly clientCall: ClientCall | undefined
  readonly began: number
}

interface Walking extends Found {
  readonly tool: KnownTool
  readonly era: UpstreamEra
}

async function fastEnd(found: Found): ReturnType<FastPath> {
  const { gateway, server, call, client } = found
  const tool = await gateway.catalog.tool(server, call.name, client, never)
  if (tool === undefined || 'kind' in tool) return usual
  // Its headers must say what its arguments say, and who looks at that refuses in the words of 2026-07-28.
  if (call.client !== undefined && repeatsArguments(tool.item.inputSchema)) return usual
  const spoken = await server.upstream.era(client, never)
  return spoken.kind === 'found' ? walkFast({ ...found, tool, era: spoken.era }) : usual
}

/** The walk of a call that nobody is asked about: the same steps, in the same order, with the same records. */
async function walkFast(walking: Walking): ReturnType<FastPath> {
  const { gateway, server, post, call, client, tool, clientCall } = walking
  const { approvals } = gateway.settings.assent
  const groups = (post.authInfo?.extra?.groups as string[] | undefined) ?? []
  const caller = { call: { requester: client.requester }, person: { groups } }
  const wanted = callOf(caller, server, call.name, call.given, tool)
  const decision = decide(approvals.policy, wanted)
  if (decision.decide !== 'allow' && !decision.watched) return usual

  if (isCancelled(clientCall)) return usual
  const walkId = randomUUID()
  // What cannot be decided here, such as arguments that have no digest, is refused in the usual words.
  const begun = await approvals.begin({ call: wanted, walkId, decision }).catch(() => usual)
  if (!('kind' in begun)) return begun
  if (begun.kind === 'begun') return send(walking, begun.call, walkId)
  if (begun.kind === 'refused') {
    const { status, message, reason } = begun
    const result = refusalResult(new AskRefused(status, message, reason), false) as unknown as JsonObject
    tell(walking, 'refused', 0)
    return answered(walking, result)
  }
  return usual
}

async function send(walking: Walking, wanted: ToolCall, walkId: string): ReturnType<FastPath> {
  const { gateway, server, post, call, client, tool, era, clientCall } = walking
  const { approvals } = gateway.settings.assent
  if (isCancelled(clientCall)) return takenBack(walking, wanted, walkId, 0)
  const left = performance.now()
  const live = new CapturedCall({ walkId, call: wanted, tool, era }, (hooks, signal) =>
    server.upstream.request({
      // Not spread: that alone would cost as much as to decide.
      requester: client.requester,
      sessionKey: client.sessionKey,
      capabilities: client.capabilities,
      clientInfo: client.clientInfo,
      credential: client.credential,
      method: 'tools/call',
      params:
        call.meta === undefined
          ? { name: wanted.tool, arguments: wanted.arguments }
          : { name: wanted.tool, arguments: wanted.arguments, _meta: call.meta },
      paramHeaders: paramHeaders(tool.item.inputSchema, wanted.arguments),
      exclusive: !era.perRequest && call.client !== undefined,
      signal,
      hooks,
    }),
  )
  const ended = watch(post, clientCall, live)
  const reply = await live.plain
  ended()
  const elsewhereMs = performance.now() - left
  const outcome = outcomeOf(reply)
  if (outcome === undefined) {
    return isCancelled(clientCall)
      ? takenBack(walking, wanted, walkId, elsewhereMs)
      : handOver(gateway, live, wanted, post.reply)
  }
  approvals.finishSoon(wanted, walkId, outcome).catch((error) => gateway.settings.onError?.(error))
  tell(walking, outcome, elsewhereMs)
  return answered(walking, (reply as { result: JsonObject }).result)
}

const isCancelled = (clientCall: ClientCall | undefined) => clientCall?.isCancelled === true

/** Whoever takes a request back gets no answer to it. */
function takenBack(walking: Walking, wanted: ToolCall, walkId: string, elsewhereMs: number): 'answered' {
  const { assent, onError } = walking.gateway.settings
  assent.approvals.finishSoon(wanted, walkId, 'failed').catch((error) => onError?.(error))
  tell(walking, 'failed', elsewhereMs)
  endWithoutAnswer(walking.post.reply)
  return 'answered'
}

/** How a plain result ended the call; undefined: it is none, or none yet. */
function outcomeOf(reply: UpstreamReply | undefined): 'done' | 'failed' | undefined {
  if (reply?.kind !== 'result' || reply.result.resultType === 'input_required') return undefined
  return reply.result.isError === true ? 'failed' : 'done'
}

/** Looks after a call in flight. Returns what to do when it has landed. */
function watch({ reply }: Post, clientCall: ClientCall | undefined, live: CapturedCall): () => void {
  const tooLong = setTimeout(() => live.giveUp(), patienceMs)
  if (clientCall !== undefined) {
    // A connection that is lost takes nothing back (H11-07): its client may only be on a bad line.
    clientCall.live = live
    return () => clearTimeout(tooLong)
  }
  const gone = () => live.abort()
  reply.on('close', gone)
  if (reply.closed) gone()
  return () => {
    clearTimeout(tooLong)
    reply.off('close', gone)
  }
}

/** The usual way goes on with what is under way. Should it refuse, the call is given up, and the audit says so. */
function handOver(
  { settings }: GatewayContext,
  live: CapturedCall,
  call: ToolCall,
  reply: ServerResponse,
): { left: object } {
  reply.once('close', () => {
    if (!live.drop()) return
    settings.assent.approvals
      .finish({ call }, live.walkId, undefined, 'failed')
      .catch((error) => settings.onError?.(error))
  })
  return { left: live }
}

function answered({ post, call, answerer }: Walking, result: JsonObject): 'answered' {
  const spelled = call.client === undefined ? result : perRequestResult(result, answerer)
  answerWith(post.reply, call.id, spelled, post.session?.id)
  return 'answered'
}

function tell({ gateway, server, began }: Walking, outcome: 'done' | 'failed' | 'refused', elsewhereMs: number): void {
  const { news } = gateway.settings
  if (news === undefined) return
  const durationMs = performance.now() - began
  const ownMs = Math.max(0, durationMs - elsewhereMs)
  news.tell({ kind: 'call-ended', server: server.id, outcome, durationMs, ownMs })
}
