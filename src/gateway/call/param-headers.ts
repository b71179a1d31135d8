import { ProtocolError } from '@modelcontextprotocol/server'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { codes } from '../../mcp/codes.ts'
import { decodeHeaderValue, encodeHeaderValue } from '../upstream/wire/header-values.ts'

const prefix = 'mcp-param-'

/** An argument that a 2026-07-28 tool wants repeated in a header (`x-mcp-header`). */
interface Repeated {
  readonly header: string
  readonly value: string | number | boolean
}

/** The `Mcp-Param-*` headers of a call, made from its arguments. Received ones that the tool does not name are passed on (H26-14). */
export function paramHeaders(
  inputSchema: unknown,
  given: JsonObject,
  received?: Headers,
): Readonly<Record<string, string>> {
  const declared = declaredOnce(inputSchema)
  if (declared.length === 0 && received === undefined) return none
  const headers: Record<string, string> = {}
  const known = new Set(declared.map((name) => name.toLowerCase()))
  for (const [name, value] of received ?? []) {
    if (name.startsWith(prefix) && !known.has(name.slice(prefix.length))) headers[name] = value
  }
  for (const { header, value } of repeatedIn(inputSchema, given)) {
    headers[`Mcp-Param-${header}`] = encodeHeaderValue(String(value))
  }
  return headers
}

/** Whether a tool wants arguments repeated in headers. */
export function repeatsArguments(inputSchema: unknown): boolean {
  return declaredOnce(inputSchema).length > 0
}

/** Throws for a request whose headers say something else than its body (H26-06). */
export function checkParamHeaders(inputSchema: unknown, given: JsonObject, received: Headers): void {
  for (const { header, value } of repeatedIn(inputSchema, given)) {
    const name = `Mcp-Param-${header}`
    const sent = received.get(name)
    const decoded = sent === null ? undefined : decodeHeaderValue(sent)
    const isSame =
      typeof value === 'number' && decoded !== undefined && /^-?\d+(\.\d+)?$/.test(decoded)
        ? Number(decoded) === value
        : decoded === String(value)
    if (isSame) continue
    const what = sent === null ? 'is missing' : 'differs from the body'
    throw new ProtocolError(codes.headerMismatch, `Bad Request: the header ${name} ${what}`, {
      mismatch: { header: name },
    })
  }
}

function repeatedIn(schema: unknown, given: unknown): Repeated[] {
  const properties = isPlainObject(schema) && isPlainObject(schema.properties) ? schema.properties : {}
  return Object.entries(properties).flatMap(([name, field]): Repeated[] => {
    const value = isPlainObject(given) && Object.hasOwn(given, name) ? given[name] : undefined
    if (!isPlainObject(field) || value === undefined || value === null) return []
    const header = field['x-mcp-header']
    if (typeof value === 'object') return repeatedIn(field, value)
    return typeof header === 'string' ? [{ header, value: value as Repeated['value'] }] : []
  })
}

const none: Readonly<Record<string, string>> = {}
const declarations = new WeakMap<object, readonly string[]>()

/** Cached by schema object: a tool stays the same for many calls. */
function declaredOnce(schema: unknown): readonly string[] {
  if (!isPlainObject(schema)) return []
  const known = declarations.get(schema) ?? declaredIn(schema)
  declarations.set(schema, known)
  return known
}

function declaredIn(schema: unknown): string[] {
  const properties = isPlainObject(schema) && isPlainObject(schema.properties) ? schema.properties : {}
  return Object.values(properties).flatMap((field) => {
    const header = isPlainObject(field) ? field['x-mcp-header'] : undefined
    return [...(typeof header === 'string' ? [header] : []), ...declaredIn(field)]
  })
}
