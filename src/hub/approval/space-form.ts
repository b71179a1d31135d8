import { approvalIn } from '../../approval/question/subject.ts'
import type { JsonObject } from '../../base/json.ts'
import { nameText } from '../../base/text/names.ts'
import { isInPlainSight, showArguments, shownText } from '../../base/text/show-text.ts'
import type { Answer, Elicitation } from '../../elicitation/elicitation.ts'
import type { Content } from '../../elicitation/form/schema.ts'

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
  const description = describe(original)
  const isShown = isInPlainSight(original.arguments) && description.length <= longestWords
  if (elicitation.answerers.through !== 'client' || !isShown) {
    return { mode: 'url', message, url: link, elicitationId: elicitation.id, metadata }
  }
  const { choice: _, reason: __, ...edits } = elicitation.question.schema?.properties ?? {}
  const required = (elicitation.question.schema?.required ?? []).filter((name) => name !== 'choice')
  return {
    message,
    requestedSchema: {
      type: 'object',
      properties: {
        approve: { type: 'boolean', title: 'Approve this tool call?', description },
        ...(edits as unknown as JsonObject),
        reason: {
          type: 'string',
          title: 'Reason (optional)',
          description: 'Provide a reason for your decision',
        },
      },
      required: ['approve', ...required],
    },
    metadata,
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
    priority: 'normal',
    originalRequest: { from, tool, arguments: rest.arguments, requestId },
  }
}

function describe({ tool, from, arguments: given }: OriginalRequest): string {
  const shown = showArguments(given).map(({ name, value }) => `${shownText(name)}: ${shownText(value)}`)
  const facts = shown.length === 0 ? 'Arguments: none' : `Arguments:\n${shown.join('\n')}`
  return `Tool: ${nameText(tool)}\nCaller: ${from}\n${facts}`
}

/** What an answer in a space means for an approval. Anything but a clear yes is a no. */
export function approvalAnswer(elicitation: Elicitation, given: Answer): Answer {
  if (given.action !== 'accept' || approvalIn(elicitation) === undefined) return given
  const { approve, ...content } = (given.content ?? {}) as Content
  return { action: 'accept', content: { ...content, choice: approve === true ? 'allow_once' : 'deny' } }
}

/** An answer as JSON-RPC brought it; undefined if it is none. */
export function answerIn(result: unknown): Answer | undefined {
  if (typeof result !== 'object' || result === null) return undefined
  const { action, content } = result as { action?: unknown; content?: unknown }
  if (action === 'decline' || action === 'cancel') return { action }
  if (action !== 'accept') return undefined
  return { action, ...(typeof content === 'object' && content !== null && { content: content as Content }) }
}
