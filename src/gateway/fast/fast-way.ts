import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Approved } from '../../approval/approval.ts'
import { decide } from '../../approval/policy/decide.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import type { Post, Shortcut } from '../../mcp/http/shortcut.ts'
import { AskRefused, refusalResult } from '../../mcp/refusal.ts'
import { callOf } from '../call-tool.ts'
import type { KnownTool } from '../catalog.ts'
import { paramHeaders } from '../param-headers.ts'
import type { Behind } from '../settings.ts'
import type { UpstreamEra, UpstreamReply, Visitor } from '../upstream/upstream.ts'
import type { Ways } from '../ways.ts'
import { type Flights, trackFlights } from './flights.ts'
import { LiveCall } from './live-call.ts'
import { type PlainCall, readCall } from './read-call.ts'
import { rememberSpeakers } from './speakers.ts'
import { type Answerer, answerWith, endWithoutAnswer, perRequestResult } from './write-answer.ts'

const usual = {}
/** Many upstreams say that their list holds for no time at all; asking for it again at each call would double the work. */
const believedMs = 5_000
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
    try {
      const began = performance.now()
      const tool = await ways.catalog.tool(behind, call.name, visitor, never, believedMs)
      if (tool === undefined || 'kind' in tool) return usual
      const found = await behind.upstream.era(visitor, never)
      if (found.kind !== 'found') return usual
      return await walkFast({ ways, behind, answerer, flights, post, call, visitor, tool, era: found.era, began })
    } finally {
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

interface Walking {
  readonly ways: Ways
  readonly behind: Behind
  readonly answerer: Answerer
  readonly flights: Flights
  readonly post: Post
  readonly call: PlainCall
  readonly visitor: Visitor
  readonly tool: KnownTool
  readonly era: UpstreamEra
  readonly began: number
}

/** The walk of a call that nobody is asked about: the same steps, in the same order, with the same records. */
async function walkFast(walking: Walking): ReturnType<Shortcut> {
  const { ways, behind, post, call, visitor, tool } = walking
  const { approvals } = ways.settings.assent
  const groups = (post.authInfo?.extra?.groups as string[] | undefined) ?? []
  const caller = { call: { requester: visitor.requester }, person: { groups } }
  const wanted = callOf(caller, behind, call.name, call.given, tool)
  const decision = decide(approvals.policy, wanted)
  if (decision.decide !== 'allow' && !decision.watched) return usual

  const walk = randomUUID()
  const approval = await approvals.approve({ call: wanted, walk, decision })
  if (approval.kind === 'question') return usual
  if (approval.kind === 'refused') {
    const { status, message, reason } = approval
    const result = refusalResult(new AskRefused(status, message, reason), false) as unknown as JsonObject
    tell(walking, 'refused', 0)
    return answered(walking, result)
  }
  const started = await approvals.start(approval, walk)
  return started.kind === 'started' ? send(walking, approval, walk) : usual
}

async function send(walking: Walking, { call: wanted }: Approved, walk: string): ReturnType<Shortcut> {
  const { ways, behind, flights, post, call, visitor, tool, era } = walking
  const { approvals } = ways.settings.assent
  const left = performance.now()
  const live = new LiveCall({ walk, call: wanted, tool, era }, (hooks, signal) =>
    behind.upstream.request({
      ...visitor,
      method: 'tools/call',
      params: {
        name: wanted.tool,
        arguments: wanted.arguments,
        ...(call.meta !== undefined && { _meta: call.meta }),
      },
      paramHeaders: paramHeaders(tool.item.inputSchema, wanted.arguments),
      exclusive: !era.perRequest && call.client !== undefined,
      signal,
      hooks,
    }),
  )
  let isCancelled = false
  const landed = watch(post, call, flights, live, () => {
    isCancelled = true
    live.abort()
  })
  const reply = await live.plain
  landed()
  const outcome = outcomeOf(reply)
  if (outcome === undefined && !isCancelled) return handOver(ways, live, wanted, post.reply)

  const elsewhereMs = performance.now() - left
  await approvals.finish({ call: wanted }, walk, undefined, outcome ?? 'failed')
  tell(walking, outcome ?? 'failed', elsewhereMs)
  if (outcome !== undefined) return answered(walking, (reply as { result: JsonObject }).result)
  // Whoever takes a request back gets no answer to it.
  endWithoutAnswer(post.reply)
  return 'answered'
}

/** How a plain result ended the call; undefined: it is none, or none yet. */
function outcomeOf(reply: UpstreamReply | undefined): 'done' | 'failed' | undefined {
  if (reply?.kind !== 'result' || reply.result.resultType === 'input_required') return undefined
  return reply.result.isError === true ? 'failed' : 'done'
}

/** Looks after a call in flight. Returns what to do when it has landed. */
function watch(
  { session, reply }: Post,
  { id }: PlainCall,
  flights: Flights,
  live: LiveCall,
  cancel: () => void,
): () => void {
  const tooLong = setTimeout(() => live.giveUp(), patienceMs)
  if (session !== undefined) {
    // A connection that is lost takes nothing back (H11-07): its client may only be on a bad line.
    const remove = flights.add(session, id, { cancel, abort: () => live.abort() })
    return () => {
      clearTimeout(tooLong)
      remove()
    }
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
    if (live.isTaken) return
    live.abort()
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
