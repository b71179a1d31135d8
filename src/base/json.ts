import { randomUUID } from 'node:crypto'

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

/** Stands for a kept number while others serialise. Random, so that no text of a stranger holds it. */
const mark = `number-${randomUUID()}:`
const markBytes = Buffer.from(mark)
// A string that holds JSON, such as the text of a result, may be serialised once more: then its quotes are escaped.
const marked = new RegExp(String.raw`(\\*)"${mark}([-+.\deE]+)\1"`, 'g')
let isMarkUsed = false
let hasKept = false

/** A JSON number that a double would change, kept as it was written. */
export class ExactNumber {
  readonly text: string
  /** Unlike `instanceof`, a look at a private member runs no code of a stranger's object. */
  readonly #isExact = true

  static is(value: unknown): value is ExactNumber {
    return typeof value === 'object' && value !== null && #isExact in value
  }

  constructor(text: string) {
    this.text = text
  }

  /** A string that `restoreNumbers` turns into the number. */
  toJSON(): string {
    isMarkUsed = true
    return `${mark}${this.text}`
  }

  toString(): string {
    return this.text
  }
}

/**
 * Parses as `JSON.parse` does, but numbers beyond 2^53 that a double cannot hold become an `ExactNumber`. Fractions are
 * rounded to a double.
 */
export function parseJson(text: string): unknown {
  return withExactNumbers(text, JSON.parse(text))
}

/** What `JSON.parse` made of a text, with the numbers that it changed as they were written. */
export function withExactNumbers<T>(text: string, parsed: T): T {
  return hasLongNumber(text) ? (keepNumbers(text, parsed) as T) : parsed
}

/** Serialises as `JSON.stringify` does, with kept numbers as they were written. */
export function writeJson(value: unknown): string {
  return restoreNumbers(JSON.stringify(value))
}

/** Writes kept numbers into text that others made with `JSON.stringify`. */
export function restoreNumbers(text: string): string {
  return isMarkUsed && text.includes(mark) ? text.replace(marked, '$2') : text
}

/** The same for bytes that hold whole numbers only, such as one event of a stream. */
export function restoreNumbersIn(bytes: Uint8Array): Uint8Array {
  if (!isMarkUsed) return bytes
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.includes(markBytes) ? Buffer.from(restoreNumbers(buffer.toString())) : bytes
}

/** A copy with kept numbers as `JSON.parse` gives them, for code that reads numbers itself. Not copied if none was ever kept. */
export function roundNumbers<T>(value: T): T {
  return hasKept ? JSON.parse(writeJson(value)) : value
}

/**
 * Whether 16 digits or points follow each other anywhere. Fewer digits cannot change. Only each 16th character is looked
 * at: a regular expression takes as long as parsing.
 */
function hasLongNumber(text: string): boolean {
  for (let at = shortest - 1; at < text.length; at += shortest) {
    if (!isDigitOrPoint(text.charCodeAt(at))) continue
    // A run of 16 that holds this character holds one of these two as well.
    if (!isDigitOrPoint(text.charCodeAt(at - 8)) && !isDigitOrPoint(text.charCodeAt(at + 8))) continue
    let start = at
    while (isDigitOrPoint(text.charCodeAt(start - 1))) start -= 1
    let end = start + 1
    while (end - start < shortest && isDigitOrPoint(text.charCodeAt(end))) end += 1
    if (end - start === shortest) return true
  }
  return false
}

const shortest = 16

function isDigitOrPoint(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46
}

/** Parses again with each number that would change as a string, if there is one, and makes those an `ExactNumber`. */
function keepNumbers(text: string, value: unknown): unknown {
  const prefix = `${randomUUID()}:`
  const quoted = quoteNumbers(text, prefix)
  if (quoted === text) return value
  hasKept = true
  const parsed: unknown[] = [JSON.parse(quoted)]
  const open: object[] = [parsed]
  // Without recursion: what a stranger nests could be deeper than the stack.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const entries = next as Record<string, unknown>
    for (const key of Object.keys(entries)) {
      const member = entries[key]
      if (typeof member === 'object' && member !== null) open.push(member)
      else if (typeof member === 'string' && member.startsWith(prefix)) {
        entries[key] = new ExactNumber(member.slice(prefix.length))
      }
    }
  }
  return parsed[0]
}

/** Valid JSON with the numbers that a double would change as strings that begin with `prefix`. */
function quoteNumbers(text: string, prefix: string): string {
  const parts: string[] = []
  let copied = 0
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const end = quote === -1 ? text.length : quote
    if (end - at >= shortest) {
      for (const { 0: number, index } of text.slice(at, end).matchAll(/-?\d[-+.\deE]{15,}/g)) {
        if (survives(number)) continue
        parts.push(text.slice(copied, at + index), `"${prefix}${number}"`)
        copied = at + index + number.length
      }
    }
    at = quote === -1 ? end : endOfString(text, quote)
  }
  return copied === 0 ? text : parts.join('') + text.slice(copied)
}

function endOfString(text: string, quote: number): number {
  let end = text.indexOf('"', quote + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}

/** Whether a number in JSON is the same when it was parsed and serialised. */
function survives(text: string): boolean {
  const value = Number(text)
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER || decimalOf(text) === decimalOf(JSON.stringify(value))
}

/** Equal exactly for texts of the same number, but for its sign. */
function decimalOf(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /(\d+)(?:\.(\d+))?(?:[eE](.+))?/.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  return `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`
}

/** The record without its undefined entries, as JSON would say it, and for good. */
export function present<T extends object>(record: { [Key in keyof T]: T[Key] | undefined }): T {
  return Object.freeze(Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))) as T
}

/** Whether this is text that every store and every JSON reader takes: whole characters, and no NUL among them. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
}

/** How many characters a person counts, as JSON Schema counts them: code points, so that an emoji is one and not two. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** The own data of a plain object of unknown origin; undefined for anything else. Runs no getter and never throws. */
export function ownFields(value: unknown): Map<string, unknown> | undefined {
  try {
    if (!isPlainObject(value)) return undefined
    return new Map(Object.keys(value).map((key) => [key, ownData(value, key)]))
  } catch {
    // Only a proxy throws when it is looked at, and a proxy is no plain object.
    return undefined
  }
}

/** The first `most` items of a list of unknown origin; undefined for anything else. Runs no getter and never throws. */
export function ownList(value: unknown, most: number): readonly unknown[] | undefined {
  try {
    if (!Array.isArray(value)) return undefined
    return Array.from({ length: Math.min(value.length, most) }, (_, index) => ownData(value, index))
  } catch {
    return undefined
  }
}

function ownData(owner: object, key: string | number): unknown {
  return Object.getOwnPropertyDescriptor(owner, key)?.value
}
