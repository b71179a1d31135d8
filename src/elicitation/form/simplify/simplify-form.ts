import { ownFields, ownList } from '../../../base/json.ts'
import { definitionsIn, resolved } from './resolve.ts'
import { simplifyField } from './simplify-field.ts'

/** A form in the words that `checkForm` reads, as far as its schema can be said in them. */
export interface SimpleForm {
  readonly schema: unknown
  /** The patterns of its fields. No revision has them in a form, but answers can be judged by them. */
  readonly patterns: ReadonlyMap<string, string>
}

const mostNames = 10_000

/**
 * Rewrites a schema as generators write it (pydantic, zod, Go, C#) into the words of a form: local references are followed,
 * a union with null makes a field optional, a constant becomes the one option. What it does not know stays as it is, for
 * `checkForm` to judge. Runs no getter and never throws.
 */
export function simplifyForm(given: unknown): SimpleForm {
  const patterns = new Map<string, string>()
  const named = ownFields(given)
  if (named === undefined) return { schema: given, patterns }
  const definitions = definitionsIn(named)
  const root = resolved(named, definitions)
  // Dropped here, where nothing refers to them any more.
  root.delete('$defs')
  root.delete('definitions')
  root.delete('unevaluatedProperties')
  if (root.get('properties') === undefined && root.get('type') === 'object') root.set('properties', {})
  const properties = ownFields(root.get('properties'))
  if (properties === undefined) return { schema: Object.fromEntries(root), patterns }

  const optional = new Set<string>()
  for (const [name, value] of properties) {
    const simple = simplifyField(value, definitions)
    properties.set(name, simple.field)
    if (simple.isOptional) optional.add(name)
    if (simple.pattern !== undefined) patterns.set(name, simple.pattern)
  }
  root.set('properties', Object.fromEntries(properties))
  const required = ownList(root.get('required'), mostNames)
  if (required !== undefined)
    root.set(
      'required',
      required.filter((name) => !optional.has(name as string)),
    )
  return { schema: Object.fromEntries(root), patterns }
}
