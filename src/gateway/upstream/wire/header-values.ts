import type { JsonObject } from '../../../base/json.ts'

/** The parameter of each method that the header `Mcp-Name` repeats (H26-04). */
const namedParameter: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

const sentinel = /^=\?base64\?.*\?=$/s
// Visible ASCII; spaces and tabs are allowed except at the ends.
const plain = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/

/** Encodes a value for a header of 2026-07-28 (H26-05). */
export function encodeHeaderValue(value: string): string {
  return plain.test(value) && !sentinel.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}

/** The value of `Mcp-Name`; undefined for methods without that header. */
export function nameHeader(method: string, params: JsonObject): string | undefined {
  const key = namedParameter[method]
  const value = key === undefined ? undefined : params[key]
  return typeof value === 'string' ? encodeHeaderValue(value) : undefined
}

/** Decodes a header value; undefined if its encoding is invalid. */
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
