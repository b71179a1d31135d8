import { isText, ownFields, ownList } from '../../../base/json.ts'
import type { FormLimits } from '../limits.ts'
import type { FormProblem } from './refused.ts'

// Without them a form merely says or checks less. Whatever changes what is asked for is never dropped.
const harmless = new Set([
  ...[
    '$comment',
    '$id',
    '$schema',
    'additionalProperties',
    'deprecated',
    'description',
    'examples',
    'exclusiveMaximum',
  ],
  ...['exclusiveMinimum', 'multipleOf', 'pattern', 'readOnly', 'title', 'type', 'uniqueItems'],
])

/** One object of a schema, its keywords taken one by one. What does not fit is reported and reads as absent. */
export class Keywords {
  readonly #path: Path
  readonly #reading: Reading
  readonly #isObject: boolean
  readonly #left: Map<string, unknown>

  constructor(value: unknown, path: Path, reading: Reading) {
    const fields = ownFields(value)
    if (fields === undefined) reading.report(path, 'must be an object')
    this.#path = path
    this.#reading = reading
    this.#isObject = fields !== undefined
    this.#left = fields ?? new Map()
  }

  has(name: string): boolean {
    return this.#left.get(name) !== undefined
  }

  take(name: string): unknown {
    const value = this.#left.get(name)
    this.#left.delete(name)
    return value
  }

  text(name: string): string | undefined {
    return this.#takeIf(name, (value) => this.#reading.takesText(value), 'must be text')
  }

  /** Must be there. */
  requiredText(name: string): string {
    if (!this.has(name)) this.report(name, 'must be there')
    return this.text(name) ?? ''
  }

  flag(name: string): boolean | undefined {
    return this.#takeIf(name, (value) => typeof value === 'boolean', 'must be true or false')
  }

  number(name: string): number | undefined {
    return this.#takeIf(name, isFiniteNumber, 'must be a number')
  }

  count(name: string): number | undefined {
    return this.#takeIf(name, isCount, 'must be a whole number from 0 up')
  }

  word<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const isWord = (value: unknown): value is Word => words.some((word) => word === value)
    return this.#takeIf(name, isWord, `must be one of ${words.join(', ')}`)
  }

  /** Must be there, and exactly this. */
  exactly<Word extends string>(name: string, word: Word): Word {
    if (this.take(name) !== word) this.report(name, `must be "${word}"`)
    return word
  }

  /** A list of objects, each opened for reading; at least one, at most `most`. */
  objects(name: string, most: number): Keywords[] {
    return this.#list(name, 1, most).map((item, index) => this.#within(item, name, index))
  }

  object(name: string): Keywords {
    return this.#within(this.take(name), name)
  }

  /** An object with names of the author's own, at most `most` of them. */
  entries(name: string, most: number): (readonly [string, unknown])[] {
    const fields = ownFields(this.take(name))
    if (fields === undefined) this.report(name, 'must be an object')
    const entries = [...(fields ?? [])].filter(([, value]) => value !== undefined)
    if (entries.length <= most) return entries
    this.report(name, `must have at most ${most} entries`)
    return []
  }

  /** A list of texts; at least `least` of them, at most `most`. */
  texts(name: string, least: number, most: number): readonly string[] {
    const texts = this.#list(name, least, most).filter((item, index): item is string => {
      const isText = this.#reading.takesText(item)
      if (!isText) this.#reading.report([...this.#path, name, index], 'must be text')
      return isText
    })
    return Object.freeze(texts)
  }

  optionalTexts(name: string, most: number): readonly string[] | undefined {
    return this.has(name) ? this.texts(name, 0, most) : undefined
  }

  refuseRepeats(name: string, texts: readonly string[]): void {
    if (new Set(texts).size < texts.length) this.report(name, 'must not name anything twice')
  }

  /** Reports what is wrong with one keyword; of what is no object at all, that was said and is enough. */
  report(name: string, problem: string): void {
    if (this.#isObject) this.#reading.report([...this.#path, name], problem)
  }

  /** Nothing more is expected: what is left is dropped if it is harmless and the reading tolerant, and else reported. */
  close(): void {
    for (const [name, value] of this.#left) {
      const isDropped = this.#reading.tolerant && (harmless.has(name) || name.startsWith('x-'))
      if (value !== undefined && !isDropped) this.report(name, 'has no place here in a form: leave it out')
    }
  }

  #within(value: unknown, ...path: Path): Keywords {
    return new Keywords(value, [...this.#path, ...path], this.#reading)
  }

  #list(name: string, least: number, most: number): readonly unknown[] {
    const value = this.take(name)
    const list = value === undefined ? [] : ownList(value, most + 1)
    if (list !== undefined && list.length >= least && list.length <= most) return list
    this.report(name, `must be a list of ${least} to ${most} entries`)
    return []
  }

  #takeIf<Value>(name: string, fits: (value: unknown) => value is Value, problem: string): Value | undefined {
    const value = this.take(name)
    if (value === undefined || fits(value)) return value
    this.report(name, problem)
    return undefined
  }
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Where in a schema something is. */
export type Path = readonly (string | number)[]

const mostProblems = 20
const longestShown = 60

/** One reading of a schema of unknown origin: how strict, how much of it, and what was found wrong. */
export class Reading {
  readonly limits: FormLimits
  readonly tolerant: boolean
  readonly problems: FormProblem[] = []
  #textLeft: number

  constructor(limits: FormLimits, tolerant: boolean) {
    this.limits = limits
    this.tolerant = tolerant
    this.#textLeft = limits.bytes
  }

  /** Enough was found wrong: reading on helps nobody. */
  get isHopeless(): boolean {
    return this.problems.length >= mostProblems || this.#textLeft < 0
  }

  report(path: Path, problem: string): void {
    if (this.problems.length < mostProblems) this.problems.push({ path: path.map(shown).join('.'), problem })
  }

  reportSize(): void {
    this.report([], `must be at most ${this.limits.bytes} bytes of JSON text: shorten it`)
  }

  /** Whether this is text. Counted before it is looked at: one long text may be shared by a thousand options. */
  takesText(value: unknown): value is string {
    if (typeof value !== 'string') return false
    const couldTake = this.#textLeft >= 0
    this.#textLeft -= value.length
    if (this.#textLeft >= 0) return isText(value)
    if (couldTake) this.reportSize()
    // Too long is reported once and for the whole schema; this one text is not to blame.
    return true
  }
}

/** A part of a path is a stranger's text too, and the message with it may be shown to anyone. */
function shown(part: string | number): string {
  const text = String(part).slice(0, longestShown).toWellFormed()
  return text.replace(/\p{C}/gu, '\uFFFD')
}
