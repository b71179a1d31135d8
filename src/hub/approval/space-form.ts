import { callNow, formNow } from '../../approval/question/page-form.ts'
import { approvalIn } from '../../approval/question/subject.ts'
import type { JsonObject } from '../../base/json.ts'
import { behindText, nameText } from '../../base/text/names.ts'
import { isInPlainSight, showArguments, shownText } from '../../base/text/show-text.ts'
import { delegateChoice, delegateField } from '../../elicitation/answering/may-answer.ts'
import { type Answer, type Elicitation, reasonField } from '../../elicitation/elicitation.ts'
import type { Content } from '../../elicitation/form/schema.ts'
import { agentsBehind } from '../../participant/requester.ts'

/** The request that a question is about, as its metadata tells. */
export interface OriginalRequest {
  readonly from: string
  readonly tool: string
  readonly arguments: JsonObject
  readonly requestId: string | number
}

const longestWords = 3_500

/** What a person in a space is asked: the parameters of `elicitation/create` for an open approval. */
export function approvalParams(
  elicitation: Elicitation,
  original: OriginalRequest,
  { now, link }: { readonly now: Date; readonly link: string },
): JsonObject {
  const message = `${original.from} requests permission to execute '${nameText(original.tool)}'`
  const metadata = metadataOf(elicitation, original, now)
  const about = approvalIn(elicitation)
  const given = about === undefined ? original.arguments : callNow(elicitation, about).arguments
  const description = describe({ ...original, arguments: given }, elicitation)
  const isPlain = isInPlainSight(given) && about?.decision.previewBy === undefined
  const isShown = isPlain && description.length <= longestWords
  if (elicitation.answerers.through !== 'client' || !isShown) {
    return { mode: 'url', message, url: link, elicitationId: elicitation.id, metadata }
  }
  const schema = elicitation.question.schema && formNow(elicitation, elicitation.question.schema)
  const { choice: _, [reasonField]: __, [delegateField]: ___, ...edits } = schema?.properties ?? {}
  const required = (schema?.required ?? []).filter((name) => name !== 'choice')
  const mayDelegate = elicitation.answerers.delegate !== undefined
  return {
    message,
    requestedSchema: {
      type: 'object',
      properties: {
        ...(mayDelegate ? delegable(description) : approvable(description)),
        ...(edits as unknown as JsonObject),
        reason: {
          type: 'string',
          title: 'Reason (optional)',
          description: 'Provide a reason for your decision',
        },
      },
      required: [mayDelegate ? 'action' : 'approve', ...required],
    },
    metadata,
  }
}

function approvable(description: string): JsonObject {
  return { approve: { type: 'boolean', title: 'Approve this tool call?', description } }
}

/** Where the rule lets the question be handed on. */
function delegable(description: string): JsonObject {
  return {
    action: {
      type: 'string',
      title: 'Approve this tool call?',
      description,
      enum: ['approve', 'deny', 'delegate'],
      enumNames: ['Approve', 'Deny', 'Delegate to another user'],
    },
    delegateTo: {
      type: 'string',
      title: 'Delegate to (participant ID)',
      description: "Only required if action is 'delegate'",
    },
  }
}

function metadataOf(
  elicitation: Elicitation,
  { from, tool, requestId, ...rest }: OriginalRequest,
  now: Date,
): JsonObject {
  const timeout = Math.max(1, Math.ceil((elicitation.expiresAt.getTime() - now.getTime()) / 1_000))
  return {
    elicitationType: 'tool_approval',
    timeout,
    priority: elicitation.priority ?? 'normal',
    originalRequest: { from, tool, arguments: rest.arguments, requestId },
  }
}

function describe({ tool, from, arguments: given }: OriginalRequest, { requester, voting }: Elicitation): string {
  const shown = showArguments(given).map(({ name, value }) => `${shownText(name)}: ${shownText(value)}`)
  const changed = voting?.edit === undefined ? '' : ', as an approver changed them'
  const facts = shown.length === 0 ? 'Arguments: none' : `Arguments${changed}:\n${shown.join('\n')}`
  return `Tool: ${nameText(tool)}\nCaller: ${from}${behindText(agentsBehind(requester))}\n${facts}`
}

/**
 * What an answer in a space means for an approval. Anything but a clear yes, or handing it on, is a no. `nameOf` gives the
 * name by which a participant of the space is asked.
 */
export function approvalAnswer(elicitation: Elicitation, given: Answer, nameOf: (id: string) => string): Answer {
  if (given.action !== 'accept' || approvalIn(elicitation) === undefined) return given
  const { approve, action = approve === true ? 'approve' : 'deny', delegateTo, ...content } = given.content ?? {}
  if (action === 'delegate') {
    const to = typeof delegateTo === 'string' ? { [delegateField]: nameOf(delegateTo.trim()) } : {}
    return { action: 'accept', content: { choice: delegateChoice, ...to } }
  }
  const isYes = action === 'approve' && approve !== false
  return { action: 'accept', content: { ...content, choice: isYes ? 'allow_once' : 'deny' } }
}

/** An answer as JSON-RPC brought it; undefined if it is none. */
export function answerIn(result: unknown): Answer | undefined {
  if (typeof result !== 'object' || result === null) return undefined
  const { action, content } = result as { action?: unknown; content?: unknown }
  if (action === 'decline' || action === 'cancel') return { action }
  if (action !== 'accept') return undefined
  return { action, ...(typeof content === 'object' && content !== null && { content: content as Content }) }
}
