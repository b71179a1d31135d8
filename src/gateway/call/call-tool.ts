import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server'
import type { Account } from '../../asking/account.ts'
import { approveCall, noteStarted, withApproval } from '../../asking/approval/approve-call.ts'
import { recordUndecided } from '../../asking/approval/record-undecided.ts'
import { type Asks, asksFor } from '../../asking/asks.ts'
import type { RequestContext } from '../../asking/context.ts'
import type { Round } from '../../asking/rounds/round.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { inBackground } from '../../base/under-way.ts'
import { type Sent, type StartedCall, sendAndFinish } from '../../call/walk.ts'
import { codes } from '../../mcp/codes.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import { connectTool } from '../accounts/connect-tool.ts'
import { unlistedTool, upstreamCallOf } from '../catalog/catalog.ts'
import type { KnownTool } from '../catalog/fetch-list.ts'
import type { Route } from '../catalog/route.ts'
import type { GatewayContext } from '../context.ts'
import { downstreamClient } from '../downstream/client.ts'
import { accountFor, forwardWith, inNameOf, resultIn } from '../forward/forward.ts'
import { unreachable } from '../forward/lost.ts'
import type { CallSpan } from '../tracing.ts'
import type { DownstreamClient } from '../upstream/upstream.ts'
import type { CapturedCall } from './fast-path/captured-call.ts'
import { checkParamHeaders, paramHeaders } from './param-headers.ts'
import { callPreview } from './preview.ts'
import { CallTimer } from './time-call.ts'

/** The key of the approval of a whole call. Questions of upstreams have keys of their own. */
const wholeCall = 'approval of the call'

type Ended = { readonly result: JsonObject } | { readonly error: unknown }

/** Finds the call that the fast path started for this request, if it did, and takes it over. */
export type TakeCaptured = (ctx: ServerContext) => CapturedCall | undefined

/** One tools/call: decided by policy, approved where it says so, given the account it needs, sent, audited, timed. */
export async function callTool(
  gateway: GatewayContext,
  request: RequestContext,
  round: Round,
  { server, name }: Route,
  takeCaptured: TakeCaptured,
): Promise<JsonObject> {
  const context = inNameOf(request, server)
  const ask = asksFor(context, round)
  const captured = takeCaptured(request.ctx)
  const timer = captured?.timer ?? timerOf(gateway, request, { server, name })
  const calling = { gateway, context, round, ask, server, timer }
  const work = () => (captured === undefined ? decideAndCall(calling, name) : goOnWith(calling, captured))
  try {
    return await (timer.span === undefined ? work() : inSpan(timer.span, round, work))
  } catch (error) {
    timer.failed(error)
    throw error
  }
}

/** A handler that asks a 2026 client never returns: its request ends with the round. */
function inSpan<T>(span: CallSpan, round: Round, work: () => Promise<T>): Promise<T> {
  inBackground(round.over.then(() => span.end('asked')))
  return span.run(work)
}

function timerOf({ settings: { news, tracing } }: GatewayContext, { ctx }: RequestContext, { server, name }: Route) {
  const span = tracing?.begin({
    server: server.id,
    tool: name,
    header: (header) => ctx.http?.req?.headers.get(header),
    meta: ctx.mcpReq._meta as JsonObject | undefined,
  })
  return new CallTimer(news, server.id, span)
}

interface Calling {
  readonly gateway: GatewayContext
  readonly context: RequestContext
  readonly round: Round
  readonly ask: Asks
  readonly server: Route['server']
  readonly timer: CallTimer
}

async function decideAndCall(calling: Calling, name: string): Promise<JsonObject> {
  const { gateway, context, round, ask, server, timer } = calling
  const given = isPlainObject(context.call.arguments) ? (context.call.arguments as JsonObject) : {}
  const client = await gateway.withAccount(server, downstreamClient(context, gateway.asks()))
  if (client === undefined && name === connectTool.name) return connect(calling)
  const tool = await checkedTool(calling, name, client, given)
  if (tool === undefined) return connect(calling)

  const end = await approveCall<Ended, Account | undefined>(context, round, {
    key: wholeCall,
    call: upstreamCallOf(context, server, tool, given),
    preview: (wanted) => timer.elsewhere(() => callPreview({ gateway, context, server }, wanted)),
    asked: () => timer.asked(),
    ...(server.provider !== undefined && { access: () => timer.elsewhere(() => accountFor(server, ask)) }),
    send: (started, account) => send(calling, tool, started, account),
  })
  return resultOf(end)
}

/** The fast path started this call, and it is in flight at its upstream. */
async function goOnWith(calling: Calling, captured: CapturedCall): Promise<JsonObject> {
  const { context, gateway } = calling
  if (!captured.take()) {
    throw new ProtocolError(codes.serverError, 'The client disconnected before this call had an answer.')
  }
  const { started, tool } = captured
  Object.assign(context.walk, { id: started.walkId })
  noteStarted(context, wholeCall, started.call)
  context.started.push(started)
  const entrance = {
    approvals: gateway.settings.assent.approvals,
    send: (resumed: StartedCall) => send(calling, tool, resumed, undefined, captured),
    finish: 'now',
  } as const
  return resultOf(await sendAndFinish<Ended, undefined, never>(entrance, started, undefined))
}

function resultOf(end: Ended): JsonObject {
  if ('error' in end) throw end.error
  return end.result
}

async function send(
  { gateway, context, round, ask, server, timer }: Calling,
  tool: KnownTool,
  started: StartedCall,
  account: Account | undefined,
  captured?: CapturedCall,
): Promise<Sent<Ended>> {
  const { call } = started
  const forwarding = {
    gateway,
    server,
    context,
    round,
    method: 'tools/call',
    params: { name: call.tool, arguments: call.arguments },
    paramHeaders: paramHeaders(tool.item.inputSchema, call.arguments, context.ctx.http?.req?.headers),
    asked: () => timer.asked(),
    ...(captured !== undefined && { captured }),
  }
  let isUnsent = false
  try {
    const reply = await timer.elsewhere(() => forwardWith(forwarding, ask, account))
    if (reply.kind === 'lost' && !reply.sent) isUnsent = true
    const result = withApproval(resultIn(server, reply, context) as never, started) as JsonObject
    const outcome = result.isError === true ? 'failed' : 'done'
    timer.ended(outcome)
    return { result: { result }, outcome }
  } catch (error) {
    return { result: { error }, outcome: 'failed', unsent: isUnsent }
  }
}

/** The tool that is called, if the call can be decided about. What ends here is in the audit. */
async function checkedTool(
  calling: Calling,
  name: string,
  client: DownstreamClient | undefined,
  given: JsonObject,
): Promise<KnownTool | undefined> {
  const { context, server, timer } = calling
  const { headers } = context.ctx.http?.req ?? {}
  try {
    const tool = await timer.elsewhere(() => knownTool(calling, name, client))
    if (tool !== undefined && headers !== undefined && isPerRequest(context.revision))
      checkParamHeaders(tool.item.inputSchema, given, headers)
    return tool
  } catch (error) {
    await refusedUndecided(context, { server: server.id, tool: name }, error)
    throw error
  }
}

/** Records a call that is refused before it is decided about. */
export function refusedUndecided(
  { assent, call, walk }: RequestContext,
  owner: { readonly server: string; readonly tool: string },
  error: unknown,
): Promise<void> {
  const { requester, arguments: given } = call
  return recordUndecided(assent, { requester, ...owner, arguments: given, walkId: walk.id }, error)
}

/** Undefined: it is the gateway's own tool that connects an account, and the upstream has none of that name. */
async function knownTool(
  { gateway, context, server }: Calling,
  name: string,
  client: DownstreamClient | undefined,
): Promise<KnownTool | undefined> {
  // Without its account the upstream cannot be asked for its list.
  if (client === undefined) return unlistedTool(name)
  const { signal } = context.ctx.mcpReq
  let found = await gateway.catalog.tool(server, name, client, signal)
  if (found !== undefined && 'kind' in found && found.kind === 'unauthorized' && client.credential === undefined) {
    // Its answer may be the first to show that it wants an account, which may be connected.
    const known = await gateway.withAccount(server, client)
    if (known?.credential !== undefined) found = await gateway.catalog.tool(server, name, known, signal)
  }
  if (found === undefined) {
    if (server.provider !== undefined && name === connectTool.name) return undefined
    throw new ProtocolError(codes.invalidParams, `Unknown tool: ${name}`)
  }
  if (!('kind' in found)) return found
  if (found.kind === 'unauthorized' && server.provider !== undefined) return unlistedTool(name)
  throw unreachable(server, found, context)
}

async function connect({ server, ask, timer }: Calling): Promise<JsonObject> {
  const account = await accountFor(server, ask)
  const who = account?.account === undefined ? '' : ` as ${account.account}`
  timer.ended('done')
  return { content: [{ type: 'text', text: `Connected${who}. The tools of ${server.id} are listed now.` }] }
}
