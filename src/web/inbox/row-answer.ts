import { callNow, shownNow } from '../../approval/question/page-form.ts'
import type { ApprovalSubject } from '../../approval/question/subject.ts'
import { approvalIn } from '../../approval/question/subject.ts'
import type { ToolCall } from '../../approval/tool-call.ts'
import { isInPlainSight, isPlainName } from '../../base/text/show-text.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import type { InboxRow, RowArgument } from '../pages/inbox-props.ts'
import { posted } from '../pages/props.ts'
import { isDestructive, serverWords } from '../question/approval.ts'

const mostArguments = 4
const mostCharacters = 200
const longestName = 60

/**
 * How an approval is answered in its row of the inbox; undefined for any other question. A no is always offered. A yes
 * is offered only where the row shows everything that the question page would, and covers this call only.
 */
export function rowAnswer(asked: Elicitation, path: string): InboxRow['answer'] {
  const about = approvalIn(asked)
  if (about === undefined) return undefined
  const deny = `${path}?from=inbox`
  const isSafe = rowArguments(callNow(asked, about)) !== undefined && isSafeInOneClick(asked, about)
  return { deny, ...(isSafe && { allow: `${deny}&${posted.shown}=${encodeURIComponent(shownNow(asked))}` }) }
}

/** Every argument in full; undefined where a row has no room for all of the call, or it has hidden characters. */
export function rowArguments({ tool, server, arguments: given }: ToolCall): readonly RowArgument[] | undefined {
  if (![tool, server].every((name) => name.length <= longestName && isPlainName(name))) return undefined
  const items = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: typeof value === 'string' ? value : JSON.stringify(value) }],
  )
  const text = items.map(({ name, value }) => `${name}: ${value}`).join('')
  const fits = items.length <= mostArguments && text.length <= mostCharacters && !/[\n\t]/.test(text)
  return fits && isInPlainSight(given) && items.every(({ name }) => name !== '') ? items : undefined
}

/** False where the page says more than the row: a warning, the server's words or preview, fields, or a limit. */
function isSafeInOneClick(asked: Elicitation, about: ApprovalSubject): boolean {
  const { call, decision } = about
  return (
    asked.answerers.through !== 'passkey' &&
    !isDestructive(call) &&
    decision.editable.length === 0 &&
    decision.why.failed === undefined &&
    decision.why.limited === undefined &&
    decision.previewBy === undefined &&
    serverWords(asked, about) === ''
  )
}
