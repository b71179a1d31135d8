import { argumentProblem } from '../../base/canonical.ts'
import { type Json, type JsonObject, parseJson } from '../../base/json.ts'
import type { Content, FormSchema } from '../../elicitation/form/schema.ts'
import type { FieldError } from '../../elicitation/form/validate.ts'
import type { Decision } from '../policy/policy.ts'
import type { ToolCall } from '../tool-call.ts'
import { checked, type EditField, editFields, editPrefix } from './choice-form.ts'
import type { Choice } from './choices.ts'

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
