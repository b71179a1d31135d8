import type { InitClient } from './clients.ts'
import type { CommandLine } from './command-line.ts'

/** A server in a client's file. */
export interface ServerEntry {
  /** The keys that lead to it; the last one is its name. */
  readonly path: readonly string[]
  readonly value: unknown
}

/** A server that gets another command line. */
export interface Rewording {
  readonly path: readonly string[]
  readonly words: CommandLine
}

/** A file that can be read and changed without losing comments or the order of its keys. */
export interface EditableFile {
  /** The servers under a path in which `*` stands for every key. */
  servers(path: readonly string[]): ServerEntry[]
  /** The text with these command lines. Throws `NotEditable` if it cannot be sure of the result. */
  reword(rewordings: readonly Rewording[], form: InitClient['commandLine']): string
}

/** Why a file is left as it is. */
export class NotEditable extends Error {
  override readonly name = 'NotEditable'
}

export const unusual = () => new NotEditable('its servers are written in a way that cannot be changed safely here')

/** What parsed settings must say after a change: everything as before, but for these command lines. */
export function withWords(
  settings: unknown,
  rewordings: readonly Rewording[],
  form: InitClient['commandLine'],
): unknown {
  const copy = structuredClone(settings)
  for (const { path, words } of rewordings) {
    const entry = path.reduce((at, key) => (at as Record<string, unknown>)[key], copy) as Record<string, unknown>
    const [program, ...args] = words
    Object.assign(entry, form === 'joined' ? { command: words } : { command: program, args })
  }
  return copy
}

/** The servers in parsed settings under a path. */
export function serversAt(settings: unknown, path: readonly string[], before: readonly string[] = []): ServerEntry[] {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) return []
  const [first, ...rest] = path
  if (first === undefined) return Object.entries(settings).map(([name, value]) => ({ path: [...before, name], value }))
  const keys = first === '*' ? Object.keys(settings) : Object.hasOwn(settings, first) ? [first] : []
  return keys.flatMap((key) => serversAt((settings as Record<string, unknown>)[key], rest, [...before, key]))
}
