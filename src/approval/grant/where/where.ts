import { isPlainObject, type JsonObject } from '../../../base/json.ts'
import type { ToolCall } from '../../tool-call.ts'
import { foldersOf, isBelow, mayBePlace, plainSight } from './places.ts'

/** What an argument must be. */
export type Constraint =
  | { readonly name: string; readonly below: string }
  | { readonly name: string; readonly is: string }

/** For which arguments a lasting yes is. Arguments that it does not name make a call another one. */
export interface Where {
  readonly arguments: readonly Constraint[]
  /** These may be anything but a place. */
  readonly any: readonly string[]
}

/** The folder that a coding agent works in: it says what the other arguments mean, so it stays as it is. */
const workingFolders = new Set(['cwd', '$cwd'])

/**
 * The patterns that can be offered for a call, made of what it shows, the narrowest first. None where an argument could
 * name a place that no pattern can hold.
 */
export function wheresFor({ arguments: given }: Pick<ToolCall, 'arguments'>): readonly Where[] {
  const folders = new Map<string, readonly string[]>()
  const fixed: Constraint[] = []
  const any: string[] = []
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string' && workingFolders.has(name)) fixed.push({ name, is: value })
    else if (typeof value === 'string' && mayBePlace(value)) folders.set(name, foldersOf(value))
    else any.push(name)
  }
  if (!Object.keys(given).every((name) => plainSight.test(name))) return []
  const levels = Math.min(...[...folders.values()].map(({ length }) => length))
  if (folders.size === 0) return []
  const wheres = Array.from({ length: levels }, (_, level): Where => {
    const below = [...folders].map(([name, all]) => ({ name, below: all[level] as string }))
    return { arguments: [...below, ...fixed], any }
  })
  return wheres.filter((where) => isWhere(where, given))
}

/** Whether arguments are all as a pattern says. Doubt is a no. */
export function isWhere({ arguments: constraints, any }: Where, given: JsonObject): boolean {
  const isFulfilled = constraints.every((constraint) => {
    const value = Object.hasOwn(given, constraint.name) ? given[constraint.name] : undefined
    if (typeof value !== 'string') return false
    return 'is' in constraint ? value === constraint.is : isBelow(value, constraint.below)
  })
  const named = new Set(constraints.map(({ name }) => name))
  return (
    isFulfilled &&
    Object.entries(given).every(([name, value]) => named.has(name) || (any.includes(name) && !holdsPlace(value)))
  )
}

function holdsPlace(value: unknown): boolean {
  if (typeof value === 'string') return mayBePlace(value)
  if (Array.isArray(value)) return value.some(holdsPlace)
  return isPlainObject(value) && Object.entries(value).some(([name, one]) => mayBePlace(name) || holdsPlace(one))
}

/** A pattern in words: "where path is below /docs, with any content". `say` makes a name fit for a sentence. */
export function whereWords({ arguments: constraints, any }: Where, say: (name: string) => string): string {
  const words = constraints.map((constraint) => {
    const is = 'is' in constraint ? `is ${say(constraint.is)}` : `is below ${say(constraint.below)}`
    return `${say(constraint.name)} ${is}`
  })
  const free = any.length === 0 ? '' : `, with any ${any.map(say).join(' and ')}`
  return `where ${words.join(' and ')}${free}`
}
