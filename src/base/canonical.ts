import { hash } from 'node:crypto'
import { BadArgument } from './errors.ts'
import { isPlainObject } from './json.ts'

const deepest = 128

/** The one spelling of a JSON value (RFC 8785): equal values have equal text, whatever the order of their keys. */
export function canonicalJson(value: unknown): string {
  return spell(value, 0)
}

/** SHA-256 over the canonical spelling, in base64url. */
export function digest(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'base64url')
}

function spell(value: unknown, depth: number): string {
  if (depth > deepest) throw new BadArgument(`A value nested deeper than ${deepest} levels has no digest.`)
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return spellString(value)
  if (typeof value === 'number') return spellNumber(value)
  if (Array.isArray(value)) return `[${value.map((item) => spell(item, depth + 1)).join(',')}]`
  if (isPlainObject(value)) return spellObject(value, depth)
  throw new BadArgument(`A ${typeof value} is not JSON and has no digest.`)
}

function spellObject(object: Record<string, unknown>, depth: number): string {
  const members: string[] = []
  // The default sort compares UTF-16 code units, which is the order RFC 8785 asks for.
  for (const key of Object.keys(object).sort()) {
    const member = object[key]
    if (member !== undefined) members.push(`${spellString(key)}:${spell(member, depth + 1)}`)
  }
  return `{${members.join(',')}}`
}

// Nothing in it needs escaping: most text that is digested, and several times faster to spell.
const plainText = /^[ !#-[\]-~]*$/

function spellString(text: string): string {
  if (plainText.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw new BadArgument('Text with half a surrogate pair is not Unicode and has no digest.')
  return JSON.stringify(text)
}

function spellNumber(number: number): string {
  if (!Number.isFinite(number)) throw new BadArgument(`${number} is not JSON and has no digest.`)
  return JSON.stringify(number)
}
