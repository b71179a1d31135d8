import type { Tool } from '@modelcontextprotocol/client'
import { argumentProblem } from '../../base/canonical.ts'
import { BadArgument } from '../../base/errors.ts'
import { isPlainObject, parseJson } from '../../base/json.ts'
import { visibleLine } from '../../base/text/visible-text.ts'

/** The arguments of a tool, from a JSON object and from `key=value`, converted to the types that the tool declares. */
export function argumentsFor(
  tool: Tool,
  json: string | undefined,
  pairs: readonly (readonly [string, string])[],
): Record<string, unknown> {
  const args = new Map(json === undefined ? [] : Object.entries(readObject(json)))
  const properties = propertiesOf(tool)
  const given = new Map<string, string[]>()
  for (const [name, text] of pairs) given.set(name, [...(given.get(name) ?? []), text])
  for (const [name, texts] of given) args.set(name, readArgument(name, typeOf(properties[name]), texts))

  const missing = [...requiredOf(tool)].filter((name) => !args.has(name))
  if (missing.length > 0) {
    const needs = missing.map((name) => `${visibleLine(name, 60)} (${visibleLine(typeOf(properties[name]), 60)})`)
    throw new BadArgument(
      `${visibleLine(tool.name, 100)} needs ${needs.join(', ')}. Pass it as JSON, or with --arg key=value.`,
    )
  }
  const read = Object.fromEntries(args)
  const problem = argumentProblem(read, 'arguments')
  if (problem !== undefined) throw new BadArgument(problem)
  return read
}

export function propertiesOf({ inputSchema }: Tool): Record<string, unknown> {
  return isPlainObject(inputSchema.properties) ? inputSchema.properties : {}
}

export function requiredOf({ inputSchema }: Tool): ReadonlySet<string> {
  const { required } = inputSchema
  return new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [])
}

/** The type that a schema names, or `any`. */
export function typeOf(schema: unknown): string {
  if (!isPlainObject(schema)) return 'any'
  const { type } = schema
  if (typeof type === 'string') return type
  return Array.isArray(type) ? type.join(' or ') : Array.isArray(schema.enum) ? 'string' : 'any'
}

function readObject(json: string): Record<string, unknown> {
  const value = parsed(json)
  if (isPlainObject(value)) return value
  throw new BadArgument(`The arguments must be one JSON object, such as '{"text": "hello"}'.`)
}

/** Values of type string stay text; others are read as JSON. Only a list may be given more than once. */
function readArgument(name: string, type: string, texts: readonly string[]): unknown {
  const last = texts.at(-1) as string
  if (type === 'array') {
    const list = texts.length === 1 ? parsed(last) : undefined
    return Array.isArray(list) ? list : texts
  }
  if (texts.length > 1)
    throw new BadArgument(`--arg ${visibleLine(name, 60)} was given more than once, and is not a list. Give it once.`)
  if (type === 'string' || type === 'any') return last
  const value = parsed(last)
  if (value !== undefined) return value
  if (type.includes('string')) return last
  throw new BadArgument(
    `--arg ${visibleLine(name, 60)}: ${visibleLine(last, 60)} is not of type ${visibleLine(type, 60)}.`,
  )
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
