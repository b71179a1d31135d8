import { canonicalJson } from '../../base/canonical.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import { callDigest, type ToolCall } from '../tool-call.ts'

/** What is wrong with a value by a JSON schema, in words for people; empty: nothing. */
export type Validate = (schema: JsonObject, value: JsonObject) => readonly string[]

/** One argument, before and after the approver changed it. */
export interface Change {
  readonly name: string
  /** Absent: the requester did not give it. */
  readonly before?: Json
  readonly after: Json
}

/** What came of an approver's edits. */
export type Edited =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'edited'; readonly call: ToolCall; readonly digest: string; readonly changes: readonly Change[] }
  | { readonly kind: 'refused'; readonly errors: readonly string[] }

/** The call as the approver wants it run. Only what the rule lets them edit, and only what the tool would take. */
export function applyEdits(call: ToolCall, editable: readonly string[], edits: JsonObject, validate: Validate): Edited {
  const changes = changesOf(call.arguments, edits)
  const stray = changes.filter(({ name }) => !editable.includes(name))
  if (stray.length > 0) return { kind: 'refused', errors: stray.map(({ name }) => `${name} must stay as it is.`) }
  if (changes.length === 0) return { kind: 'unchanged' }
  if (call.inputSchema === undefined) {
    return {
      kind: 'refused',
      errors: ['Nobody can tell what this tool takes, so its arguments must stay as they are.'],
    }
  }

  const edited = { ...call, arguments: withChanges(call.arguments, changes) }
  const errors = validate(call.inputSchema, edited.arguments)
  if (errors.length > 0) return { kind: 'refused', errors }
  return { kind: 'edited', call: edited, digest: callDigest(edited), changes }
}

function changesOf(given: JsonObject, edits: JsonObject): Change[] {
  return Object.entries(edits).flatMap(([name, after]): Change[] => {
    const before = Object.hasOwn(given, name) ? given[name] : undefined
    if (after === undefined) return []
    if (before === undefined) return [{ name, after }]
    return canonicalJson(before) === canonicalJson(after) ? [] : [{ name, before, after }]
  })
}

function withChanges(given: JsonObject, changes: readonly Change[]): JsonObject {
  // From entries, so that an argument called __proto__ is an argument and nothing more.
  return Object.fromEntries([...Object.entries(given), ...changes.map(({ name, after }) => [name, after] as const)])
}
