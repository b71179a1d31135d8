import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { decide } from '../../../approval/policy/decide.ts'
import type { ToolCall } from '../../../approval/tool-call.ts'
import { isPlainObject, type JsonObject } from '../../../base/json.ts'
import type { Post, Shortcut } from '../../../mcp/http/fast-path.ts'
import { AskRefused, refusalResult } from '../../../mcp/refusal.ts'
import type { KnownTool } from '../../catalog/catalog.ts'
import type { Ways } from '../../context.ts'
import type { Behind } from '../../options.ts'
import type { UpstreamEra, UpstreamReply, Visitor } from '../../upstream/upstream.ts'
import { callOf } from '../call-tool.ts'
import { paramHeaders, repeatsArguments } from '../param-headers.ts'
import { rememberSpeakers } from './cache-clients.ts'
import { type Flights, type Ticket, trackFlights } from './calls-in-flight.ts'
import { LiveCall } from './captured-call.ts'
import { type PlainCall, readCall } from './read-call.ts'
import { type Answerer, answerWith, endWithoutAnswer, perRequestResult } from './write-answer.ts'

const usual = {}
/** A client that hears nothing for long may give up: from here on it is answered by a stream. */
const patienceMs = 10_000
const never = new AbortController().signal
setMaxListeners(0, never)

/** One server's calls that policy allows, there and back without a server of the SDK. All else goes the usual way. */
export function fastWay(ways: Ways, behind: Behind, answerer: Answerer): Shortcut {
  const speakers = rememberSpeakers(ways)
  const flights = trackFlights()

  return async (post) => {
    const { body, headers, session, authInfo } = post
    if (session !== undefined && body.method === 'notifications/cancelled' && isPlainObject(body.params)) {
      flights.cancel(session, body.params.requestId)
    }
    // Where an account is needed, the person may have to be asked for it.
    const call = behind.provider === undefined ? readCall(body, headers) : undefined
    if (call === undefined || !isInPlace(ways, flights, post, call)) return usual
    const visitor = speakers.find(session, authInfo, call)
    if (visitor === undefined) return usual

    const release = session?.hold()
    const ticket = session && call.client === undefined ? flights.add(session, call.id) : undefined
    try {
      const end = await fastEnd({ ways, behind, answerer, post, call, visitor, ticket, began: performance.now() })
      if (end === 'answered' || !isCancelled(ticket) || end.left !== undefined) return end
      // Taken back before anybody began with it.
      endWithoutAnswer(post.reply)
      return 'answered'
    } finally {
      if (ticket !== undefined && session !== undefined) flights.remove(session, call.id)
      release?.()
    }
  }
}

/** Whether a call of 2025 is on a session that speaks the version it names, and under an id of its own. */
function isInPlace({ levels }: Ways, flights: Flights, { session, headers }: Post, { id, client }: PlainCall): boolean {
  if (client !== undefined) return true
  if (session === undefined || flights.has(session, id)) return false
  if (headers['mcp-protocol-version'] !== session.server.getNegotiatedProtocolVersion()) return false
  return levels.of({ sessionId: session.id } as never, false) === undefined
}

interface Found {
  readonly ways: Ways
  readonly behind: Behind
  readonly answerer: Answerer
  readonly post: Post
  readonly call: PlainCall
  readonly visitor: Visitor
  /** There on a call of a 2025 session alone. */
  readonly ticket: Ticket | undefined
  readonly began: number
}

interface Walking extends Found {
  readonly tool: KnownTool
  readonly era: UpstreamEra
}

async function fastEnd(found: Found): ReturnType<Shortcut> {
  const { ways, behind, call, visitor } = found
  const tool = await ways.catalog.tool(behind, call.name, visitor, never)
  if (tool === undefined || 'kind' in tool) return usual
  // Its headers must say what its arguments say, and who looks at that refuses in the words of 2026-07-28.
  if (call.client !== undefined && repeatsArguments(tool.item.inputSchema)) return usual
  const spoken = await behind.upstream.era(visitor, never)
  return spoken.kind === 'found' ? walkFast({ ...found, tool, era: spoken.era }) : usual
}

/** The walk of a call that nobody is asked about: the same steps, in the same order, with the same records. */
async function walkFast(walking: Walking): ReturnType<Shortcut> {
  const { ways, behind, post, call, visitor, tool, ticket } = walking
  const { approvals } = ways.settings.assent
  const groups = (post.authInfo?.extra?.groups as string[] | undefined) ?? []
  const caller = { call: { requester: visitor.requester }, person: { groups } }
  const wanted = callOf(caller, behind, call.name, call.given, tool)
  const decision = decide(approvals.policy, wanted)
  if (decision.decide !== 'allow' && !decision.watched) return usual

  if (isCancelled(ticket)) return usual
  const walk = randomUUID()
  // What cannot be decided here, such as arguments that have no digest, is refused in the usual words.
  const begun = await approvals.begin({ call: wanted, walk, decision }).catch(() => usual)
  if (!('kind' in begun)) return begun
  if (begun.kind === 'begun') return send(walking, begun.call, walk)
  if (begun.kind === 'refused') {
    const { status, message, reason } = begun
    const result = refusalResult(new AskRefused(status, message, reason), false) as unknown as JsonObject
    tell(walking, 'refused', 0)
    return answered(walking, result)
  }
  return usual
}

async function send(walking: Walking, wanted: ToolCall, walk: string): ReturnType<Shortcut> {
  const { ways, behind, post, call, visitor, tool, era, ticket } = walking
  const { approvals } = ways.settings.assent
  if (isCancelled(ticket)) return takenBack(walking, wanted, walk, 0)
  const left = performance.now()
  const live = new LiveCall({ walk, call: wanted, tool, era }, (hooks, signal) =>
    behind.upstream.request({
      // Not spread: that alone would cost as much as to decide.
      requester: visitor.requester,
      lane: visitor.lane,
      capabilities: visitor.capabilities,
      clientInfo: visitor.clientInfo,
      credential: visitor.credential,
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
  const landed = watch(post, ticket, live)
  const reply = await live.plain
  landed()
  const elsewhereMs = performance.now() - left
  const outcome = outcomeOf(reply)
  if (outcome === undefined) {
    return isCancelled(ticket)
      ? takenBack(walking, wanted, walk, elsewhereMs)
      : handOver(ways, live, wanted, post.reply)
  }
  approvals.finishSoon(wanted, walk, outcome).catch((error) => ways.settings.onError?.(error))
  tell(walking, outcome, elsewhereMs)
  return answered(walking, (reply as { result: JsonObject }).result)
}

const isCancelled = (ticket: Ticket | undefined) => ticket?.isCancelled === true

/** Whoever takes a request back gets no answer to it. */
function takenBack(walking: Walking, wanted: ToolCall, walk: string, elsewhereMs: number): 'answered' {
  const { assent, onError } = walking.ways.settings
  assent.approvals.finishSoon(wanted, walk, 'failed').catch((error) => onError?.(error))
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
function watch({ reply }: Post, ticket: Ticket | undefined, live: LiveCall): () => void {
  const tooLong = setTimeout(() => live.giveUp(), patienceMs)
  if (ticket !== undefined) {
    // A connection that is lost takes nothing back (H11-07): its client may only be on a bad line.
    ticket.live = live
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
function handOver({ settings }: Ways, live: LiveCall, call: ToolCall, reply: ServerResponse): { left: object } {
  reply.once('close', () => {
    if (!live.drop()) return
    settings.assent.approvals
      .finish({ call }, live.walk, undefined, 'failed')
      .catch((error) => settings.onError?.(error))
  })
  return { left: live }
}

function answered({ post, call, answerer }: Walking, result: JsonObject): 'answered' {
  const spelled = call.client === undefined ? result : perRequestResult(result, answerer)
  answerWith(post.reply, call.id, spelled, post.session?.id)
  return 'answered'
}

function tell({ ways, behind, began }: Walking, outcome: 'done' | 'failed' | 'refused', elsewhereMs: number): void {
  const { news } = ways.settings
  if (news === undefined) return
  const durationMs = performance.now() - began
  const ownMs = Math.max(0, durationMs - elsewhereMs)
  news.tell({ kind: 'call-ended', server: behind.id, outcome, durationMs, ownMs })
}
