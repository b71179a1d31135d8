import { problemWith } from './fit.ts'
import { labelOf } from './label.ts'
import { optionsOf } from './options.ts'
import { ownFields, ownList } from './read/own.ts'
import type { Content, Field, FieldValue, FormSchema } from './schema.ts'

/** What is wrong with one field, in words for the person who filled it in; `field` is empty when it is the whole answer. */
export interface FieldError {
  readonly field: string
  readonly message: string
}

export type Validated =
  | { readonly kind: 'valid'; readonly content: Content }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }

/**
 * Checks an answer of unknown origin against its form: strict JSON types, at most one error a field. Null counts as no
 * answer, what the form does not ask for is dropped, and defaults are left to `withDefaults`.
 */
export function validateContent(schema: FormSchema, content: unknown): Validated {
  const given = ownFields(content)
  if (given === undefined) {
    return { kind: 'invalid', errors: [{ field: '', message: 'The answer must be an object with a value per field.' }] }
  }

  const required = new Set(schema.required)
  const errors: FieldError[] = []
  const valid: [string, FieldValue][] = []
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = plainValue(field, given.get(name))
    if (value === undefined || value === null) {
      if (required.has(name)) errors.push({ field: name, message: `${labelOf(name, field)} is required.` })
      continue
    }
    const message = problemWith(field, labelOf(name, field), value)
    if (message === undefined) valid.push([name, value as FieldValue])
    else errors.push({ field: name, message })
  }
  return errors.length > 0 ? { kind: 'invalid', errors } : { kind: 'valid', content: Object.fromEntries(valid) }
}

/**
 * A list is copied before it is judged, so that what was judged is what is kept; one item too many is wrong for sure.
 * What is no list is replaced, as a revoked proxy throws even when asked whether it is one.
 */
function plainValue(field: Field, value: unknown): unknown {
  if (field.type !== 'array' || value === undefined || value === null) return value
  return ownList(value, optionsOf(field).length + 1) ?? 'no list'
}
