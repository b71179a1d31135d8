import { hash } from 'node:crypto'
import { BadArgument } from './errors.ts'
import { ExactNumber, isPlainObject } from './json.ts'
import { visibleLine } from './text/visible-text.ts'

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
  if (Array.isArray(value)) return spellArray(value, depth)
  if (isPlainObject(value)) return spellObject(value, depth)
  throw new BadArgument(`A ${typeof value} is not JSON and has no digest.`)
}

// Text is added to text: every call is spelled several times, and a list of the parts would cost more than the parts.
function spellArray(items: readonly unknown[], depth: number): string {
  let text = ''
  for (let at = 0; at < items.length; at += 1) text += `${at === 0 ? '' : ','}${spell(items[at], depth + 1)}`
  return `[${text}]`
}

function spellObject(object: Record<string, unknown>, depth: number): string {
  let text = ''
  for (const key of inOrder(Object.keys(object))) {
    const member = object[key]
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${spellString(key)}:${spell(member, depth + 1)}`
  }
  return `{${text}}`
}

/** The default order compares UTF-16 code units, which is the order that RFC 8785 asks for. Many keys are in it already. */
function inOrder(keys: string[]): string[] {
  for (let at = 1; at < keys.length; at += 1) {
    if ((keys[at - 1] as string) > (keys[at] as string)) return keys.sort()
  }
  return keys
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

/** Somewhat less than a digest takes: what a call is wrapped in when it is asked about or kept has levels of its own. */
const deepestGiven = 120

/** What is wrong, and where. The place is put together on the way back, as most values have no problem. */
interface Problem {
  readonly path: string
  readonly words: string
}

/**
 * Why a value of a stranger cannot be digested, shown and passed on exactly as it came, and what to do about it. `place`
 * names the value. Undefined: nothing is wrong with it.
 */
export function argumentProblem(value: unknown, place: string): string | undefined {
  const problem = problemIn(value, 0)
  if (problem === undefined) return undefined
  const { path, words } = problem
  // The end of a long path says more than its beginning.
  return `${place}${path.length <= 200 ? path : `…${path.slice(-200)}`} ${words}`
}

function problemIn(value: unknown, depth: number): Problem | undefined {
  if (depth > deepestGiven) {
    return { path: '', words: `is nested deeper than ${deepestGiven} levels. Send it less deeply nested.` }
  }
  if (typeof value === 'string') return value.isWellFormed() ? undefined : { path: '', words: halfPair }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : { path: '', words: 'is too large for a number. Send it as a string.' }
  }
  if (ExactNumber.is(value)) {
    const number = visibleLine(value.text, 60)
    return { path: '', words: `is ${number}, which has more digits than are kept exactly. Send it as a string.` }
  }
  if (Array.isArray(value)) return problemInArray(value, depth)
  return isPlainObject(value) ? problemInObject(value, depth) : undefined
}

const halfPair = 'has half a surrogate pair, which is not text. Send whole characters.'

function problemInArray(items: readonly unknown[], depth: number): Problem | undefined {
  for (const [at, item] of items.entries()) {
    const problem = problemIn(item, depth + 1)
    if (problem !== undefined) return { ...problem, path: `[${at}]${problem.path}` }
  }
  return undefined
}

function problemInObject(object: Readonly<Record<string, unknown>>, depth: number): Problem | undefined {
  for (const name of Object.keys(object)) {
    const problem = name.isWellFormed() ? problemIn(object[name], depth + 1) : { path: '', words: halfPair }
    if (problem !== undefined) return { ...problem, path: `.${visibleLine(name, 60)}${problem.path}` }
  }
  return undefined
}
