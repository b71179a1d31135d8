import type { Elicitation } from '../../elicitation/elicitation.ts'
import type { Content, Field, FormSchema } from '../../elicitation/form/schema.ts'
import type { ToolCall } from '../tool-call.ts'
import { editPrefix } from './choice-form.ts'
import { applyEdits } from './edit.ts'
import { editsIn, jsonPrefix } from './page-form.ts'
import type { ApprovalSubject } from './subject.ts'

/** The content with what approvers changed before: a field that it does not name stays as they left it. */
export function withEarlierEdits({ voting }: Elicitation, content: Content): Content {
  return { ...voting?.edit?.content, ...content }
}

/** The fields of a content that change arguments. */
export function editsOf(content: Content): Content {
  const isEdit = ([name]: [string, unknown]) => name.startsWith(editPrefix) || name.startsWith(jsonPrefix)
  return Object.fromEntries(Object.entries(content).filter(isEdit))
}

/** The call as it would run now: as asked for, or as an approver changed it. */
export function callNow({ voting }: Elicitation, { call, decision }: ApprovalSubject): ToolCall {
  if (voting?.edit === undefined) return call
  // It was checked by the tool's schema when it was given, and is again before it runs.
  const { edits } = editsIn(voting.edit.content, decision.editable)
  const edited = applyEdits({ ...call, inputSchema: call.inputSchema ?? {} }, decision.editable, edits, () => [])
  return edited.kind === 'edited' ? { ...call, arguments: edited.call.arguments } : call
}

/** The form of an approval with the values that would run now. */
export function formNow({ voting }: Elicitation, schema: FormSchema): FormSchema {
  const { content } = voting?.edit ?? {}
  if (content === undefined) return schema
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const value = Object.hasOwn(content, name) ? content[name] : undefined
    return [name, value === undefined ? field : ({ ...field, default: value } as Field)] as const
  })
  return { ...schema, properties: Object.fromEntries(fields) }
}

/** What somebody who is shown the question sees: changes with every edit, so that a yes to what was shown before is told apart. */
export function shownNow({ identity, voting }: Elicitation): string {
  return voting?.edit === undefined ? identity : `${identity}.${voting.edit.digest}`
}

/** The digest of what is shown now, for a vote; nothing where it is as it was asked for. */
export function seenNow({ voting }: Elicitation): { readonly seen?: string } {
  return voting?.edit === undefined ? {} : { seen: voting.edit.digest }
}
