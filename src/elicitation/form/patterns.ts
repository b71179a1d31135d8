import { RE2JS } from 're2js'
import { labelOf } from './options.ts'
import type { Content, FormSchema } from './schema.ts'
import type { FieldError } from './validate.ts'

/**
 * Judges an answer by patterns of unknown origin, each in time in proportion to the text. A pattern that RE2 cannot run is
 * left to its author.
 */
export function patternErrors(
  { properties }: FormSchema,
  patterns: ReadonlyMap<string, string>,
  content: Content,
): FieldError[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const [pattern, value] = [patterns.get(name), content[name]]
    if (pattern === undefined || typeof value !== 'string' || fits(pattern, value)) return []
    return [{ field: name, message: `${labelOf(name, field)} must be written as the pattern ${pattern} says.` }]
  })
}

const longestPattern = 1_000

function fits(pattern: string, value: string): boolean {
  if (pattern.length > longestPattern) return true
  try {
    return RE2JS.compile(pattern).matcher(value).find()
  } catch {
    return true
  }
}
