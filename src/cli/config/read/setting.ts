import { milliseconds } from '../../../base/durations.ts'
import { isPlainObject } from '../../../base/json.ts'
import { isUrl } from '../../../base/public-address.ts'
import { isLoopback } from '../../../elicitation/asking/url.ts'
import { nearest } from '../near-names.ts'
import { type Path, type Problem, pathText } from '../problems.ts'

/** The settings that are being read, and the problems found so far. */
export interface Reading {
  /** The settings before variables were filled in. Messages quote these, so that no secret is in them. */
  readonly raw: unknown
  readonly problems: Problem[]
}

/**
 * One setting at its path. Each method that reads it returns undefined when the setting is left out, and when its value is
 * wrong; then it has recorded the problem.
 */
export class Setting {
  readonly value: unknown
  readonly path: Path
  readonly #reading: Reading

  constructor(value: unknown, path: Path, reading: Reading) {
    this.value = value
    this.path = path
    this.#reading = reading
  }

  get isThere(): boolean {
    return this.value !== undefined
  }

  /** Records a problem that quotes the value: for settings that are never secret. */
  wrong(remedy: string): undefined {
    return this.say(`is ${quoted(valueAt(this.#reading.raw, this.path))}; ${remedy}.`)
  }

  /** Records a problem that names the kind of the value only: the value may be a secret. */
  wrongKind(remedy: string): undefined {
    return this.say(`is ${kindOf(this.value)}; ${remedy}.`)
  }

  /** Records a problem; the name of the setting comes before `words`. */
  say(words: string): undefined {
    this.#reading.problems.push({ path: this.path, message: `${pathText(this.path)} ${words}` })
  }

  in(key: string | number): Setting {
    const value = Array.isArray(this.value)
      ? this.value[key as number]
      : isPlainObject(this.value) && Object.hasOwn(this.value, key)
        ? this.value[key]
        : undefined
    return new Setting(value, [...this.path, key], this.#reading)
  }

  /** The settings inside, by name. Other names are refused, with the nearest known name. */
  only<const Name extends string>(known: readonly Name[]): Record<Name, Setting> {
    const names: readonly string[] = known
    for (const inner of this.entries()) {
      const name = inner.path.at(-1) as string
      if (names.includes(name)) continue
      const near = nearest(name, names)
      inner.say(
        near.length > 0 ? `is not known; did you mean ${near.join(' or ')}?` : `is not known; ${choices(names)}.`,
      )
    }
    return Object.fromEntries(known.map((name) => [name, this.in(name)])) as Record<Name, Setting>
  }

  /** Every setting inside, in the order of the file; none when nothing is written. */
  entries(): Setting[] {
    if (this.value === undefined || this.value === null) return []
    if (isPlainObject(this.value)) return Object.keys(this.value).map((key) => this.in(key))
    this.wrongKind('write settings by name, such as `name: value`')
    return []
  }

  /** Every item of a list; none when nothing is written. */
  items(): Setting[] {
    if (this.value === undefined || this.value === null) return []
    if (Array.isArray(this.value)) return this.value.map((_, index) => this.in(index))
    this.wrongKind('write a list, such as [one, two]')
    return []
  }

  /** Records a problem if the setting is missing. */
  needed(remedy: string): this {
    if (!this.isThere) this.say(`is missing; ${remedy}.`)
    return this
  }

  text(): string | undefined {
    if (!this.isThere) return undefined
    if (typeof this.value === 'string' && this.value !== '') return this.value
    return this.wrongKind('write text')
  }

  /** Text, or what YAML reads as a number or as true or false: a command line may hold `8080`. */
  word(): string | undefined {
    const { value } = this
    if (!this.isThere || typeof value === 'string') return value as string | undefined
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    return this.wrongKind('write text')
  }

  /** The words inside, by name. */
  words(): Record<string, string> {
    return Object.fromEntries(this.entries().map((one) => [one.path.at(-1) as string, one.word() ?? '']))
  }

  choice<const Choice extends string>(allowed: readonly Choice[]): Choice | undefined {
    if (!this.isThere) return undefined
    return allowed.find((one) => one === this.value) ?? this.wrong(choices(allowed))
  }

  /** The text `"true"` counts too, since a variable is always text. */
  flag(): boolean | undefined {
    if (!this.isThere) return undefined
    if (this.value === true || this.value === 'true') return true
    if (this.value === false || this.value === 'false') return false
    return this.wrong(choices(['true', 'false']))
  }

  count(): number | undefined {
    if (!this.isThere) return undefined
    const number = typeof this.value === 'string' && /^\d{1,15}$/.test(this.value) ? Number(this.value) : this.value
    if (typeof number === 'number' && Number.isSafeInteger(number) && number > 0) return number
    return this.wrong('write a whole number above 0')
  }

  duration(longest?: { readonly ms: number; readonly text: string }): number | undefined {
    if (!this.isThere) return undefined
    const ms = typeof this.value === 'string' ? durationOf(this.value) : undefined
    if (ms === undefined || ms === 0) {
      return this.wrong('write a whole number above 0 and a unit, such as 45s, 10m, 1h or 30d')
    }
    return longest !== undefined && ms > longest.ms ? this.wrong(`write ${longest.text} at most`) : ms
  }

  /** A web address: https, unless it is on this machine or `plain` allows http. Never quoted, since it may hold a secret. */
  url({ plain = false }: { readonly plain?: boolean } = {}): URL | undefined {
    const text = this.text()
    if (text === undefined) return undefined
    if (!isUrl(text)) return this.say('is not a full url; write one such as https://example.com/x.')
    const url = new URL(text)
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      return this.say(`begins with ${url.protocol}; write an address that begins with https:.`)
    }
    if (url.username !== '' || url.password !== '') {
      return this.say('holds a user name or a password; take them out.')
    }
    if (url.protocol === 'http:' && !plain && !isLoopback(url.hostname)) {
      return this.say('is plain http, which others can read on the way; write https (http is for this machine only).')
    }
    return url
  }
}

function durationOf(text: string): number | undefined {
  try {
    return milliseconds(text)
  } catch {
    return undefined
  }
}

function choices(names: readonly string[]): string {
  return `write ${[names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' or ')}`
}

const longestQuote = 80

function quoted(raw: unknown): string {
  if (typeof raw !== 'string') return typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : kindOf(raw)
  return raw.length > longestQuote ? 'too long' : JSON.stringify(raw)
}

function kindOf(value: unknown): string {
  if (value === null || value === '') return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (value === undefined) return 'missing'
  return (
    { object: 'a group of settings', number: 'a number', boolean: 'true or false', string: 'text' }[
      typeof value as string
    ] ?? 'something else'
  )
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inside, part) =>
      typeof inside === 'object' && inside !== null && Object.hasOwn(inside, part)
        ? (inside as Record<string | number, unknown>)[part]
        : undefined,
    value,
  )
}
