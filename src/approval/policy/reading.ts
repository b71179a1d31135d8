import { type Duration, formatDuration, milliseconds } from '../../base/durations.ts'
import { isPlainObject } from '../../base/json.ts'
import type { PolicyPath, PolicyProblem } from './bad-policy.ts'

const longestText = 2_000
const longestList = 100

/** Reads settings of unknown origin, and collects all that is wrong instead of stopping at the first. */
export class Reading {
  readonly problems: PolicyProblem[] = []

  report(path: PolicyPath, message: string): undefined {
    this.problems.push({ path, message })
    return undefined
  }

  /** The settings of an object, those that it does not know refused. */
  settings(value: unknown, path: PolicyPath, known: readonly string[]): Settings {
    if (!isPlainObject(value)) {
      this.report(path, `This must be an object with settings: ${known.join(', ')}.`)
      return new Settings(this, path, {})
    }
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue
      this.report([...path, name], `"${name}" is not a setting here. There are ${known.join(', ')}.`)
    }
    return new Settings(this, path, value)
  }

  text(value: unknown, path: PolicyPath): string | undefined {
    const isText = typeof value === 'string' && value.trim() !== '' && value.length <= longestText
    if (isText && value.isWellFormed() && !/\p{Cc}/u.test(value.replace(/[\n\t]/g, ''))) return value
    return this.report(path, `This must be text of 1 to ${longestText} characters.`)
  }
}

/** The settings of one object. Each reader gives undefined for what is absent, and for what it reported. */
export class Settings {
  readonly #reading: Reading
  readonly #path: PolicyPath
  readonly #values: Readonly<Record<string, unknown>>

  constructor(reading: Reading, path: PolicyPath, values: Readonly<Record<string, unknown>>) {
    this.#reading = reading
    this.#path = path
    this.#values = values
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined
  }

  pathOf(name: string): PolicyPath {
    return [...this.#path, name]
  }

  report(name: string, message: string): undefined {
    return this.#reading.report(this.pathOf(name), message)
  }

  /** The value of a setting that is there. */
  read<T>(name: string, reader: (value: unknown, path: PolicyPath) => T | undefined): T | undefined {
    return this.has(name) ? reader(this.#values[name], this.pathOf(name)) : undefined
  }

  oneOf<T extends string>(name: string, words: readonly T[]): T | undefined {
    return this.read(name, (value) => {
      if (words.includes(value as T)) return value as T
      return this.report(name, `This must be one of ${words.join(', ')}.`)
    })
  }

  flag(name: string): boolean | undefined {
    return this.read(name, (value) =>
      typeof value === 'boolean' ? value : this.report(name, 'This must be true or false.'),
    )
  }

  text(name: string): string | undefined {
    return this.read(name, (value, path) => this.#reading.text(value, path))
  }

  whole(name: string, least: number, most: number): number | undefined {
    return this.read(name, (value) => {
      const isWhole = typeof value === 'number' && Number.isSafeInteger(value)
      if (isWhole && value >= least && value <= most) return value
      return this.report(name, `This must be a whole number from ${least} to ${most}.`)
    })
  }

  /** Milliseconds, more than none. */
  duration(name: string, longestMs: number): number | undefined {
    return this.read(name, (value) => {
      const ms = typeof value === 'string' || typeof value === 'number' ? millisecondsIn(value) : 0
      if (ms > 0 && ms <= longestMs) return ms
      return this.report(name, `This must be a time of at most ${formatDuration(longestMs)}, such as 45s, 10m or 1h.`)
    })
  }

  /** A list of texts, or one text; never empty. */
  texts<T extends string>(name: string, problemWith: (text: string) => string | undefined): readonly T[] | undefined {
    return this.read(name, (value, path) => {
      const list = Array.isArray(value) ? value : [value]
      if (list.length === 0 || list.length > longestList) {
        return this.report(name, `This must name 1 to ${longestList}. Leave it out if it should not matter.`)
      }
      list.forEach((item, index) => {
        const itemPath = Array.isArray(value) ? [...path, index] : path
        const text = this.#reading.text(item, itemPath)
        const problem = text === undefined ? undefined : problemWith(text)
        if (problem !== undefined) this.#reading.report(itemPath, problem)
      })
      return Object.freeze([...list]) as readonly T[]
    })
  }
}

function millisecondsIn(duration: Duration): number {
  try {
    return milliseconds(duration)
  } catch {
    return 0
  }
}
