import { ownFields } from '../../base/json.ts'
import type { Content, FieldValue, FormSchema } from './schema.ts'

/** The answer that a form suggests: every default, and nothing for fields without one. */
export function defaultsOf(schema: FormSchema): Content {
  return Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, field]): [string, FieldValue][] =>
      field.default === undefined ? [] : [[name, field.default]],
    ),
  )
}

/** Fills fields that were left unanswered with their defaults; what is no answer at all is left for validation to refuse. */
export function withDefaults(schema: FormSchema, content: unknown): unknown {
  if (content === undefined || content === null) return defaultsOf(schema)
  const given = ownFields(content)
  if (given === undefined) return content
  for (const [name, value] of Object.entries(defaultsOf(schema))) given.set(name, given.get(name) ?? value)
  return Object.fromEntries(given)
}
