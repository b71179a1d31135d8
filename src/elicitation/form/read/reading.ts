import type { FormLimits } from '../limits.ts'
import { isText } from '../text.ts'
import type { FormProblem } from './refused.ts'

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
