import type { JsonObject } from '../../../base/json.ts'

/** Which parameter of a method `Mcp-Name` repeats (H26-04). */
const named: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

const sentinel = /^=\?base64\?.*\?=$/s
// Visible ASCII, with blanks and tabs only inside.
const plain = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/

/** A value as it may stand in a header of 2026-07-28 (H26-05). */
export function encodeHeaderValue(value: string): string {
  return plain.test(value) && !sentinel.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}

/** The value of `Mcp-Name` for a request that needs one. */
export function nameHeader(method: string, params: JsonObject): string | undefined {
  const key = named[method]
  const value = key === undefined ? undefined : params[key]
  return typeof value === 'string' ? encodeHeaderValue(value) : undefined
}

/** What a header says; undefined where it is encoded and cannot be read. */
export function decodeHeaderValue(value: string): string | undefined {
  if (!sentinel.test(value)) return value
  const encoded = value.slice('=?base64?'.length, -'?='.length)
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
