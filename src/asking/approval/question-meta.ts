import { approvalIn } from '../../approval/question/subject.ts'
import type { JsonObject } from '../../base/json.ts'
import { nameText } from '../../base/text/names.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import type { ElicitParams } from '../../mcp/elicit-params.ts'
import { permissionDisplayKey, questionKey } from '../../mcp/meta-keys.ts'
import type { RequestContext } from '../context.ts'

/** Longer arguments are not repeated to the client that sent them. */
const longestArguments = 16_384

/** Adds to the question of an approval what programs may want to know of it, and the heading that Claude clients show. */
export function withQuestionMeta(
  context: Pick<RequestContext, 'ctx'>,
  elicitation: Elicitation,
  params: ElicitParams,
): ElicitParams {
  const approval = approvalIn(elicitation)
  if (approval === undefined) return params
  const { call, decision } = approval
  const { requester, tool, server, arguments: given } = call
  const question: JsonObject = {
    id: elicitation.id,
    elicitationType: 'tool_approval',
    priority: decision.priority ?? 'normal',
    server,
    expiresAt: elicitation.expiresAt.toISOString(),
    originalRequest: {
      from: requester.clientName ?? requester.client,
      tool,
      ...(JSON.stringify(given).length <= longestArguments && { arguments: given }),
      requestId: context.ctx.mcpReq.id,
    },
  }
  const display = { title: elicitation.question.message, displayName: nameText(tool), description: decision.why.words }
  return { ...params, _meta: { [questionKey]: question, [permissionDisplayKey]: display } }
}
