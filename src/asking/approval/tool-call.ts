import type { Decision } from '../../approval/policy/policy.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import { digest } from '../../base/canonical.ts'
import { type Duration, milliseconds } from '../../base/durations.ts'
import { BadArgument } from '../../base/errors.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import type { Answerer } from '../../elicitation/answering/answerers.ts'
import type { RequestContext } from '../context.ts'
import type { HandlerDecision } from './approve-call.ts'

export interface ApprovalOptions {
  /** Names the question within its handler. Default: its position among the handler's questions. */
  readonly key?: string
  /** Who may approve: participants, or `group:` and a name. Default: the requester. */
  readonly approvers?: readonly Answerer[]
  /** `page`: an answer through the client does not count, only one on a page. `passkey`: signed there. Default: client. */
  readonly answer?: Decision['answer']
  /** How long the question stays open. Default: the server's `clocks.question`. */
  readonly expires?: Duration
  /** What happens when the client cannot ask: the question waits in the inbox, or the call is denied. Default: the server's `fallback`. */
  readonly fallback?: 'inbox' | 'deny'
}

/** The request as a call that policy can decide about. */
export function toolCallOf(context: RequestContext): ToolCall {
  const { call, person, name, tools } = context
  if (call.method !== 'tools/call' || tools === undefined)
    throw new BadArgument('Only the call of a tool can be approved.')
  return {
    requester: call.requester,
    groups: person.groups,
    server: name,
    tool: call.name,
    arguments: isPlainObject(call.arguments) ? (call.arguments as JsonObject) : {},
    // The author of the server wrote its tools, so their annotations can be trusted.
    trusted: true,
    ...tools.factsOf(call.name),
  }
}

/** The decision of a handler that asks for approval by itself. */
export function decidedByHandler(
  { call, inbox }: RequestContext,
  message: string,
  { approvers, answer = 'client', expires, fallback = inbox() ? 'inbox' : 'deny' }: Omit<ApprovalOptions, 'key'>,
): HandlerDecision {
  if (approvers?.length === 0) throw new BadArgument('An approval needs someone who may give it.')
  const decision: Decision = {
    decide: 'ask',
    why: { words: 'The tool itself asks for this.' },
    ruleDigest: digest(['handler', message, approvers ?? [], answer, fallback]),
    approvers: approvers ?? [call.requester.participant],
    answer,
    editable: [],
    ...(expires !== undefined && { expiresMs: milliseconds(expires) }),
    fallback,
    keepArguments: false,
    watched: false,
    byHandler: true,
  }
  return { message, decision }
}
