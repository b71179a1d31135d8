import { argumentProblem } from '../../base/canonical.ts'
import { type Json, type JsonObject, parseJson } from '../../base/json.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import type { Content, Field, FormSchema } from '../../elicitation/form/schema.ts'
import type { FieldError } from '../../elicitation/form/validate.ts'
import type { Decision } from '../policy/policy.ts'
import type { ToolCall } from '../tool-call.ts'
import { checked, type EditField, editFields, editPrefix } from './choice-form.ts'
import type { Choice } from './choices.ts'
import { applyEdits } from './edit.ts'
import type { ApprovalSubject } from './subject.ts'

/** Before the names of arguments that are edited as JSON, for no plain field could hold them. */
export const jsonPrefix = 'json_'

/** The approval as its page asks for it: as in a client, and what no plain field can hold as JSON. What looks like a secret stays as it is. */
export function pageForm(call: ToolCall, decision: Decision, offered: readonly Choice[]): FormSchema {
  // One by one: what cannot be shown, or would make the form too large, is only not editable.
  let fields: readonly PageField[] = []
  let form = checkedPage(call, offered, fields)
  for (const name of decision.editable) {
    for (const field of waysToEdit(call, name)) {
      const larger = checkedPage(call, offered, [...fields, field])
      if (larger === undefined) continue
      fields = [...fields, field]
      form = larger
      break
    }
  }
  return form as FormSchema
}

interface PageField extends EditField {
  readonly isJson: boolean
}

/** How an argument could be edited, the plainest way first. */
function waysToEdit(call: ToolCall, name: string): PageField[] {
  const plain = (editFields(call, [name]) ?? []).map((field) => ({ ...field, isJson: false }))
  const value = Object.hasOwn(call.arguments, name) ? call.arguments[name] : undefined
  if (value === undefined) return plain
  return [...plain, { name, schema: jsonField(name, value), isGiven: false, isJson: true }]
}

function checkedPage(call: ToolCall, offered: readonly Choice[], fields: readonly PageField[]): FormSchema | undefined {
  return checked(
    call,
    offered,
    fields.map((field) => ({ ...field, prefix: field.isJson ? jsonPrefix : editPrefix })),
  )
}

/** The edits that an answer makes, plain or as JSON; or what is wrong with them. */
export function editsIn(
  content: Content,
  editable: readonly string[],
): { readonly edits: JsonObject; readonly errors: readonly FieldError[] } {
  const edits: [string, Json][] = []
  const errors: FieldError[] = []
  for (const name of editable) {
    const plain = editPrefix + name
    const json = jsonPrefix + name
    if (Object.hasOwn(content, plain)) edits.push([name, content[plain] as Json])
    else if (Object.hasOwn(content, json)) {
      const value = parsed(content[json])
      const problem = value === undefined ? `${name} must be JSON.` : argumentProblem(value, name)
      if (problem !== undefined) errors.push({ field: json, message: problem })
      else edits.push([name, value as Json])
    }
  }
  return { edits: Object.fromEntries(edits), errors }
}

function jsonField(name: string, value: Json): JsonObject {
  return { type: 'string', title: name, description: 'As JSON.', default: JSON.stringify(value, null, 2) }
}

/** Undefined: it is no JSON. */
function parsed(text: unknown): unknown {
  try {
    return parseJson(String(text))
  } catch {
    return undefined
  }
}

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
