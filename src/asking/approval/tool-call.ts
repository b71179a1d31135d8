import type { Decision } from '../../approval/policy/policy.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import { digest } from '../../base/canonical.ts'
import { type Duration, milliseconds } from '../../base/durations.ts'
import { BadArgument } from '../../base/errors.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import type { Answerer } from '../../elicitation/answering/answerers.ts'
import type { RequestContext } from '../context.ts'
import { factsOf } from '../registered-tools.ts'
import type { HandlerDecision } from './approve-call.ts'

export interface ApprovalOptions {
  /** Names the question within its handler; by its place, unless said otherwise. */
  readonly key?: string
  /** Who may approve: participants, or `group:` and a name. Default: the requester. */
  readonly approvers?: readonly Answerer[]
  /** `page`: the client's word is not enough. Default: client. */
  readonly answer?: 'client' | 'page'
  readonly expires?: Duration
  /** When the client cannot ask: wait in the inbox, or deny. Default: deny. */
  readonly fallback?: 'inbox' | 'deny'
}

/** The request of a visit as a call that can be decided about. */
export function toolCallOf(context: RequestContext): ToolCall {
  const { call, person, name } = context
  if (call.method !== 'tools/call') throw new BadArgument('Only the call of a tool can be approved.')
  return {
    requester: call.requester,
    groups: person.groups,
    server: name,
    tool: call.name,
    arguments: isPlainObject(call.arguments) ? (call.arguments as JsonObject) : {},
    // Whoever runs this server wrote its tools: their word on them counts.
    trusted: true,
    ...factsOf(context.tools, call.name),
  }
}

/** What a handler that asks for approval by itself decides. */
export function decidedByHandler(
  { call }: RequestContext,
  message: string,
  { approvers, answer = 'client', expires, fallback = 'deny' }: Omit<ApprovalOptions, 'key'>,
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
