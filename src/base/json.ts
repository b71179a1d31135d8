/** What JSON can say, and nothing else. */
export type Json = null | boolean | number | string | Json[] | JsonObject

/** A JSON object; a key that is absent and a key that is undefined are the same. */
export interface JsonObject {
  [key: string]: Json | undefined
}

/** Whether a value of unknown origin is a plain object: not null, not an array, not an instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
