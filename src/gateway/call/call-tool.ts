import { ProtocolError } from '@modelcontextprotocol/server'
import type { Change } from '../../approval/question/edit.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import type { Account } from '../../asking/account.ts'
import { walkApproved } from '../../asking/approval/approve-call.ts'
import { type Asks, asksFor } from '../../asking/asks.ts'
import type { Visit } from '../../asking/context.ts'
import type { Round } from '../../asking/rounds/round.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import type { Sent } from '../../call/walk.ts'
import { takeLeft } from '../../mcp/http/incoming.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import { withWords } from '../../server/approved-tool.ts'
import { connectTool } from '../accounts/connect-tool.ts'
import type { KnownTool } from '../catalog/catalog.ts'
import type { Ways } from '../context.ts'
import { speakingIn, visitorFor } from '../downstream/client.ts'
import { accountFor, forwardWith, inNameOf } from '../forward/forward.ts'
import { locked, lostCall, unreachable } from '../forward/lost.ts'
import { type Hearer, upstreamError } from '../forward/upstream-error.ts'
import type { Behind } from '../options.ts'
import type { UpstreamReply, Visitor } from '../upstream/upstream.ts'
import type { InHand } from './fast-path/captured-call.ts'
import { checkParamHeaders, paramHeaders } from './param-headers.ts'
import { type CallTiming, timeCall } from './time-call.ts'

/** The key of the approval of a whole call; questions of upstreams have keys of their own. */
const wholeCall = 'approval of the call'

type Ended = { readonly result: JsonObject } | { readonly error: unknown }

/** One tools/call: decided by policy, approved where it says so, given the account it needs, sent, audited, and timed. */
export function callTool(ways: Ways, visit: Visit, round: Round, behind: Behind, name: string): Promise<JsonObject> {
  const own = inNameOf(visit, behind)
  const ask = asksFor(own, round)
  return timeCall(ways.settings.news, behind.id, (timing) =>
    call({ ways, visit: own, round, ask, behind, timing }, name),
  )
}

interface Calling {
  readonly ways: Ways
  readonly visit: Visit
  readonly round: Round
  readonly ask: Asks
  readonly behind: Behind
  readonly timing: CallTiming
}

async function call(calling: Calling, name: string): Promise<JsonObject> {
  const { ways, visit, round, ask, behind, timing } = calling
  const inHand = takeLeft(visit.ctx.http?.req) as InHand | undefined
  if (inHand !== undefined) return goOn(calling, inHand)
  const given = isPlainObject(visit.call.arguments) ? (visit.call.arguments as JsonObject) : {}
  const visitor = visitorFor(speakingIn(visit), { asks: ways.settings.elicitation, inbox: ways.inbox() })
  const mine = await ways.visitorOf(behind, visitor)
  if (mine === undefined && name === connectTool.name) return connect(behind, ask)
  const tool = await timing.elsewhere(() => knownTool(ways, visit, behind, name, mine))
  if (tool === undefined) return connect(behind, ask)
  const { headers } = visit.ctx.http?.req ?? {}
  if (headers !== undefined && isPerRequest(visit.revision)) checkParamHeaders(tool.item.inputSchema, given, headers)
  const wanted = callOf(visit, behind, name, given, tool)

  const end = await walkApproved<Ended, Account | undefined>(visit, round, {
    key: wholeCall,
    call: wanted,
    asked: timing.asked,
    access: () => timing.elsewhere(() => accountFor(behind, ask)),
    send: (approved, changes, account) => send(calling, tool, approved, changes, account),
  })
  if ('error' in end) throw end.error
  return end.result
}

/** The call was approved and started on the fast way, and is under way at its upstream. */
async function goOn(calling: Calling, inHand: InHand): Promise<JsonObject> {
  const { visit } = calling
  if (!inHand.take()) throw new ProtocolError(-32_000, 'The client went away before this call had an answer.')
  const { walk, call, tool } = inHand
  Object.assign(visit.walk, { w: walk })
  const { result: end, outcome } = await send(calling, tool, call, [], undefined, inHand)
  await visit.assent.approvals.finish({ call }, walk, undefined, outcome)
  if ('error' in end) throw end.error
  return end.result
}

async function send(
  { ways, visit, round, ask, behind, timing }: Calling,
  tool: KnownTool,
  approved: ToolCall,
  changes: readonly Change[],
  account: Account | undefined,
  inHand?: InHand,
): Promise<Sent<Ended>> {
  const params = { name: approved.tool, arguments: approved.arguments }
  const headers = paramHeaders(tool.item.inputSchema, approved.arguments, visit.ctx.http?.req?.headers)
  const forwarding = {
    ways,
    behind,
    visit,
    round,
    method: 'tools/call',
    params,
    paramHeaders: headers,
    asked: timing.asked,
    ...(inHand !== undefined && { inHand }),
  }
  try {
    const reply = await timing.elsewhere(() => forwardWith(forwarding, ask, account))
    const end = ended(behind, visit, reply, changes)
    timing.sent(end.outcome)
    return end
  } catch (error) {
    return { result: { error }, outcome: 'failed' }
  }
}

function ended(behind: Behind, hearer: Hearer, reply: UpstreamReply, changes: readonly Change[]): Sent<Ended> {
  switch (reply.kind) {
    case 'result': {
      const result = withWords(reply.result as never, changes) as JsonObject
      return { result: { result }, outcome: result.isError === true ? 'failed' : 'done' }
    }
    case 'error':
      return { result: { error: upstreamError(behind.id, reply, hearer) }, outcome: 'failed' }
    case 'unauthorized':
      return { result: { error: locked(behind, reply) }, outcome: 'failed' }
    case 'lost':
      return { result: { error: lostCall(behind.id, reply) }, outcome: 'failed' }
  }
}

/** Undefined: it is our own tool that connects, and the upstream has none of that name. */
async function knownTool(
  { catalog }: Ways,
  visit: Visit,
  behind: Behind,
  name: string,
  visitor: Visitor | undefined,
): Promise<KnownTool | undefined> {
  // Its list needs the account that the call will ask for.
  if (visitor === undefined) return unlisted(name)
  const found = await catalog.tool(behind, name, visitor, visit.ctx.mcpReq.signal)
  if (found === undefined) {
    if (behind.provider !== undefined && name === connectTool.name) return undefined
    throw new ProtocolError(-32_602, `Unknown tool: ${name}`)
  }
  if (!('kind' in found)) return found
  if (found.kind === 'unauthorized' && behind.provider !== undefined) return unlisted(name)
  throw unreachable(behind, found, visit)
}

/** A tool of which nothing is known: decided about as the worst that it could be. */
const unlisted = (name: string): KnownTool => ({
  item: { name },
  definition: `unlisted ${name}`,
  serverDefinition: 'unlisted',
})

/** Who calls, as far as approving must know it. */
export interface Caller {
  readonly call: Pick<Visit['call'], 'requester'>
  readonly person: Pick<Visit['person'], 'groups'>
}

/** The call as approving sees it. */
export function callOf(
  { call, person }: Caller,
  behind: Behind,
  name: string,
  given: JsonObject,
  tool: KnownTool,
): ToolCall {
  const { annotations, inputSchema, title } = tool.item
  return {
    requester: call.requester,
    groups: person.groups,
    server: behind.id,
    tool: name,
    arguments: given,
    definition: tool.definition,
    serverDefinition: tool.serverDefinition,
    trusted: behind.trusted,
    ...(isPlainObject(annotations) && { annotations: annotations as JsonObject }),
    ...(isPlainObject(inputSchema) && { inputSchema: inputSchema as JsonObject }),
    ...(typeof title === 'string' && { title }),
  }
}

async function connect(behind: Behind, ask: Asks): Promise<JsonObject> {
  const account = await accountFor(behind, ask)
  const who = account?.account === undefined ? '' : ` as ${account.account}`
  return { content: [{ type: 'text', text: `Connected${who}. The tools of ${behind.id} are listed now.` }] }
}
