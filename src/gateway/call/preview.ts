import { randomUUID } from 'node:crypto'
import { decide } from '../../approval/policy/decide.ts'
import type { PreviewReply, WantedPreview } from '../../approval/question/preview.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import { accountOf } from '../../asking/account.ts'
import type { RequestContext } from '../../asking/context.ts'
import { digest } from '../../base/canonical.ts'
import { formatDuration } from '../../base/durations.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { type Sent, walk } from '../../call/walk.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import { upstreamCallOf } from '../catalog/catalog.ts'
import type { GatewayContext } from '../context.ts'
import { downstreamClient } from '../downstream/client.ts'
import type { UpstreamServer } from '../options.ts'
import type { UpstreamReply } from '../upstream/upstream.ts'

interface Previewing {
  readonly gateway: GatewayContext
  readonly context: RequestContext
  readonly server: UpstreamServer
}

/** Calls the tool whose result is shown before another call is approved. Never asks anybody, and never rejects. */
export async function callPreview(previewing: Previewing, wanted: WantedPreview): Promise<PreviewReply> {
  const { gateway, context } = previewing
  const { clocks } = gateway.settings
  const signal = AbortSignal.any([context.ctx.mcpReq.signal, AbortSignal.timeout(clocks.preview)])
  try {
    const call = await previewCall(previewing, wanted, signal)
    return 'problem' in call ? call : await walked(previewing, call, signal)
  } catch (error) {
    if (signal.aborted) return tooSlow(clocks.preview)
    gateway.settings.onError?.(error)
    return { problem: `${wanted.tool} could not be called.` }
  }
}

const tooSlow = (ms: number): PreviewReply => ({ problem: `It took longer than ${formatDuration(ms)}.` })

/** The call, if policy allows it and the server does not say that it changes something. */
async function previewCall(
  { gateway, context, server }: Previewing,
  { tool: name, arguments: given }: WantedPreview,
  signal: AbortSignal,
): Promise<ToolCall | { readonly problem: string }> {
  const client = await gateway.withAccount(server, downstreamClient(context, gateway.asks()))
  if (client === undefined) return { problem: 'The account that it needs is not connected.' }
  const tool = await gateway.catalog.tool(server, name, client, signal)
  if (tool === undefined || 'kind' in tool) return { problem: `There is no tool ${name} now.` }
  const { annotations } = tool.item
  if (isPlainObject(annotations) && (annotations.readOnlyHint === false || annotations.destructiveHint === true)) {
    return { problem: `The server says that ${name} changes something, so it is no preview.` }
  }
  const call = upstreamCallOf(context, server, tool, given)
  // Decided like any other call, but nobody is asked about it.
  const { decide: effect } = decide(context.assent.approvals.policy, call)
  return effect === 'allow' ? call : { problem: `The policy does not allow ${name} without asking.` }
}

async function walked(previewing: Previewing, call: ToolCall, signal: AbortSignal): Promise<PreviewReply> {
  const { gateway, context, server } = previewing
  const send = async (): Promise<Sent<UpstreamReply>> => {
    const reply = await request(previewing, call, signal)
    const isDone = reply.kind === 'result' && reply.result.isError !== true
    return { result: reply, outcome: isDone ? 'done' : 'failed', unsent: reply.kind === 'lost' && !reply.sent }
  }
  const entrance = { approvals: context.assent.approvals, send, finish: 'now' } as const
  const end = await walk<UpstreamReply, undefined, never>(entrance, {
    call,
    walkId: randomUUID(),
    mayAsk: () => false,
  })
  if (end.kind !== 'done') return { problem: `The policy does not allow ${call.tool} without asking.` }
  if (signal.aborted) return tooSlow(gateway.settings.clocks.preview)
  const reply = end.result
  if (reply.kind !== 'result' || reply.result.resultType === 'input_required') {
    return { problem: `${server.id} did not answer it.` }
  }
  return shownResult(reply.result, gateway.settings.limits.previewCharacters)
}

async function request(
  { gateway, context, server }: Previewing,
  { tool, arguments: given }: ToolCall,
  signal: AbortSignal,
): Promise<UpstreamReply> {
  const client = downstreamClient(context, gateway.asks())
  const account = server.provider === undefined ? undefined : await accountOf(context, server.provider)
  const found = await server.upstream.era(client, signal)
  if (found.kind !== 'found') return found
  return server.upstream.request({
    ...client,
    ...(account && { credential: account.credential }),
    method: 'tools/call',
    params: { name: tool, arguments: given },
    exclusive: !found.era.perRequest && isPerRequest(context.revision),
    signal,
  })
}

function shownResult(result: JsonObject, most: number): PreviewReply {
  const { content, structuredContent, isError } = result
  const items: readonly unknown[] = Array.isArray(content) ? content : []
  const texts = items
    .filter(isPlainObject)
    .map((item) => (typeof item.text === 'string' ? item.text : `[${String(item.type)}]`))
  const whole = texts.length > 0 ? texts.join('\n') : JSON.stringify(structuredContent ?? null, null, 2)
  if (isError === true) return { problem: `The server could not show it: ${whole.slice(0, 500)}` }
  const text = whole.slice(0, most)
  return {
    text,
    leftOut: whole.length - text.length,
    // All of it, also what is not shown.
    digest: digest(['shown', JSON.stringify([content ?? null, structuredContent ?? null])]),
  }
}
