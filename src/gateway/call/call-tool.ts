import { ProtocolError } from '@modelcontextprotocol/server'
import type { Change } from '../../approval/question/edit.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import type { Account } from '../../asking/account.ts'
import { approveCall } from '../../asking/approval/approve-call.ts'
import { withChanges } from '../../asking/approval/approved-result.ts'
import { type Asks, asksFor } from '../../asking/asks.ts'
import type { RequestContext } from '../../asking/context.ts'
import type { Round } from '../../asking/rounds/round.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import type { Sent } from '../../call/walk.ts'
import { takeHandover } from '../../mcp/http/incoming.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import { connectTool } from '../accounts/connect-tool.ts'
import type { KnownTool } from '../catalog/catalog.ts'
import type { GatewayContext } from '../context.ts'
import { callerIn, downstreamClient } from '../downstream/client.ts'
import { accountFor, forwardWith, inNameOf } from '../forward/forward.ts'
import { locked, lostCall, unreachable } from '../forward/lost.ts'
import { type Hearer, upstreamError } from '../forward/upstream-error.ts'
import type { UpstreamServer } from '../options.ts'
import type { DownstreamClient, UpstreamReply } from '../upstream/upstream.ts'
import type { StartedCall } from './fast-path/captured-call.ts'
import { checkParamHeaders, paramHeaders } from './param-headers.ts'
import { type CallTiming, timeCall } from './time-call.ts'

/** The key of the approval of a whole call; questions of upstreams have keys of their own. */
const wholeCall = 'approval of the call'

type Ended = { readonly result: JsonObject } | { readonly error: unknown }

/** One tools/call: decided by policy, approved where it says so, given the account it needs, sent, audited, and timed. */
export function callTool(
  gateway: GatewayContext,
  context: RequestContext,
  round: Round,
  server: UpstreamServer,
  name: string,
): Promise<JsonObject> {
  const own = inNameOf(context, server)
  const ask = asksFor(own, round)
  return timeCall(gateway.settings.news, server.id, (timing) =>
    call({ gateway, context: own, round, ask, server, timing }, name),
  )
}

interface Calling {
  readonly gateway: GatewayContext
  readonly context: RequestContext
  readonly round: Round
  readonly ask: Asks
  readonly server: UpstreamServer
  readonly timing: CallTiming
}

async function call(calling: Calling, name: string): Promise<JsonObject> {
  const { gateway, context, round, ask, server, timing } = calling
  const started = takeHandover(context.ctx.http?.req) as StartedCall | undefined
  if (started !== undefined) return goOn(calling, started)
  const given = isPlainObject(context.call.arguments) ? (context.call.arguments as JsonObject) : {}
  const client = downstreamClient(callerIn(context), { asks: gateway.settings.elicitation, inbox: gateway.inbox() })
  const mine = await gateway.withAccount(server, client)
  if (mine === undefined && name === connectTool.name) return connect(server, ask)
  const tool = await timing.elsewhere(() => knownTool(gateway, context, server, name, mine))
  if (tool === undefined) return connect(server, ask)
  const { headers } = context.ctx.http?.req ?? {}
  if (headers !== undefined && isPerRequest(context.revision)) checkParamHeaders(tool.item.inputSchema, given, headers)
  const wanted = callOf(context, server, name, given, tool)

  const end = await approveCall<Ended, Account | undefined>(context, round, {
    key: wholeCall,
    call: wanted,
    asked: timing.asked,
    access: () => timing.elsewhere(() => accountFor(server, ask)),
    send: (approved, changes, account) => send(calling, tool, approved, changes, account),
  })
  if ('error' in end) throw end.error
  return end.result
}

/** The call was approved and started on the fast way, and is under way at its upstream. */
async function goOn(calling: Calling, started: StartedCall): Promise<JsonObject> {
  const { context } = calling
  if (!started.take()) throw new ProtocolError(-32_000, 'The client went away before this call had an answer.')
  const { walkId, call, tool } = started
  Object.assign(context.walk, { id: walkId })
  const { result: end, outcome } = await send(calling, tool, call, [], undefined, started)
  await context.assent.approvals.finish({ call }, walkId, undefined, outcome)
  if ('error' in end) throw end.error
  return end.result
}

async function send(
  { gateway, context, round, ask, server, timing }: Calling,
  tool: KnownTool,
  approved: ToolCall,
  changes: readonly Change[],
  account: Account | undefined,
  started?: StartedCall,
): Promise<Sent<Ended>> {
  const params = { name: approved.tool, arguments: approved.arguments }
  const headers = paramHeaders(tool.item.inputSchema, approved.arguments, context.ctx.http?.req?.headers)
  const forwarding = {
    gateway,
    server,
    context,
    round,
    method: 'tools/call',
    params,
    paramHeaders: headers,
    asked: timing.asked,
    ...(started !== undefined && { started }),
  }
  try {
    const reply = await timing.elsewhere(() => forwardWith(forwarding, ask, account))
    const end = ended(server, context, reply, changes)
    timing.sent(end.outcome)
    return end
  } catch (error) {
    return { result: { error }, outcome: 'failed' }
  }
}

function ended(server: UpstreamServer, hearer: Hearer, reply: UpstreamReply, changes: readonly Change[]): Sent<Ended> {
  switch (reply.kind) {
    case 'result': {
      const result = withChanges(reply.result as never, changes) as JsonObject
      return { result: { result }, outcome: result.isError === true ? 'failed' : 'done' }
    }
    case 'error':
      return { result: { error: upstreamError(server.id, reply, hearer) }, outcome: 'failed' }
    case 'unauthorized':
      return { result: { error: locked(server, reply) }, outcome: 'failed' }
    case 'lost':
      return { result: { error: lostCall(server.id, reply) }, outcome: 'failed' }
  }
}

/** Undefined: it is our own tool that connects, and the upstream has none of that name. */
async function knownTool(
  { catalog }: GatewayContext,
  context: RequestContext,
  server: UpstreamServer,
  name: string,
  client: DownstreamClient | undefined,
): Promise<KnownTool | undefined> {
  // Its list needs the account that the call will ask for.
  if (client === undefined) return unlisted(name)
  const found = await catalog.tool(server, name, client, context.ctx.mcpReq.signal)
  if (found === undefined) {
    if (server.provider !== undefined && name === connectTool.name) return undefined
    throw new ProtocolError(-32_602, `Unknown tool: ${name}`)
  }
  if (!('kind' in found)) return found
  if (found.kind === 'unauthorized' && server.provider !== undefined) return unlisted(name)
  throw unreachable(server, found, context)
}

/** A tool of which nothing is known: decided about as the worst that it could be. */
const unlisted = (name: string): KnownTool => ({
  item: { name },
  definition: `unlisted ${name}`,
  serverDefinition: 'unlisted',
})

/** Who calls, as far as approving must know it. */
export interface Caller {
  readonly call: Pick<RequestContext['call'], 'requester'>
  readonly person: Pick<RequestContext['person'], 'groups'>
}

/** The call as approving sees it. */
export function callOf(
  { call, person }: Caller,
  server: UpstreamServer,
  name: string,
  given: JsonObject,
  tool: KnownTool,
): ToolCall {
  const { annotations, inputSchema, title } = tool.item
  return {
    requester: call.requester,
    groups: person.groups,
    server: server.id,
    tool: name,
    arguments: given,
    definition: tool.definition,
    serverDefinition: tool.serverDefinition,
    trusted: server.trusted,
    ...(isPlainObject(annotations) && { annotations: annotations as JsonObject }),
    ...(isPlainObject(inputSchema) && { inputSchema: inputSchema as JsonObject }),
    ...(typeof title === 'string' && { title }),
  }
}

async function connect(server: UpstreamServer, ask: Asks): Promise<JsonObject> {
  const account = await accountFor(server, ask)
  const who = account?.account === undefined ? '' : ` as ${account.account}`
  return { content: [{ type: 'text', text: `Connected${who}. The tools of ${server.id} are listed now.` }] }
}
