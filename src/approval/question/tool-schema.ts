import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import { RE2JS } from 're2js'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import type { Validate } from './edit.ts'

const validators = new CfWorkerJsonSchemaValidator()
const deepest = 100
/** Some tenths of a second. */
const mostLooks = 4_000_000

/**
 * Judges arguments by a tool's own schema. Patterns of a stranger can take for ever, so those of arguments are run by RE2
 * and those further in are left to the tool; a schema that cannot be used, or not in time, takes nothing.
 */
export const validateArguments: Validate = (schema, value) => {
  try {
    const left = { looks: mostLooks }
    const { valid, errorMessage } = validators.getValidator(withoutPatterns(schema, left, 0) as never)(value)
    return valid ? patternProblems(schema, value) : [plain(String(errorMessage))]
  } catch {
    return ['Nobody can tell what this tool takes, so its arguments must stay as they are.']
  }
}

function withoutPatterns(schema: unknown, left: { looks: number }, depth: number): unknown {
  if (depth > deepest) throw new RangeError('The schema is too deep.')
  if (Array.isArray(schema)) return schema.map((item) => withoutPatterns(item, left, depth + 1))
  if (!isPlainObject(schema)) return schema
  const kept = Object.entries(schema).filter(([key, value]) => key !== 'patternProperties' && !isPattern(key, value))
  const copy = Object.fromEntries(kept.map(([key, value]) => [key, withoutPatterns(value, left, depth + 1)]))
  return counted(copy, left)
}

/** References to references can make a small schema an endless one: each look at it is counted. */
function counted(schema: object, left: { looks: number }): object {
  return new Proxy(schema, {
    get(target, key) {
      left.looks -= 1
      if (left.looks < 0) throw new RangeError('The schema takes too long.')
      return Reflect.get(target, key)
    },
  })
}

/** An argument may be called "pattern" too; then it is described by an object. */
const isPattern = (key: string, value: unknown) => key === 'pattern' && typeof value === 'string'

function patternProblems({ properties }: JsonObject, value: JsonObject): string[] {
  if (!isPlainObject(properties)) return []
  return Object.entries(properties).flatMap(([name, field]) => {
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    if (!isPlainObject(field) || typeof field.pattern !== 'string' || typeof given !== 'string') return []
    return RE2JS.compile(field.pattern).matcher(given).find() ? [] : [`${name} is not written as the tool wants it.`]
  })
}

/** The validator names each place from the root on: the last words say most. */
function plain(message: string): string {
  return message
    .slice(message.lastIndexOf('; #') + 1)
    .trim()
    .replace(/^#\/?/, '')
    .slice(0, 300)
}
