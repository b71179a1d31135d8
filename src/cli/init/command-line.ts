import { basename } from 'node:path'
import { isPlainObject } from '../../base/json.ts'

/** The program and arguments that start a server. */
export type CommandLine = readonly [string, ...string[]]

/** How `assent run` is called in front of a server. */
export interface Wrapping {
  /** The words that start Assent. */
  readonly assent: CommandLine
  /** The settings file. */
  readonly settings: string
}

/** The command line in a server's entry; undefined: it is started in another way, or is no server of this machine. */
export function commandLineIn(entry: unknown, form: 'split' | 'joined'): CommandLine | undefined {
  if (!isPlainObject(entry)) return undefined
  const { command, args = [] } = entry
  const words: unknown[] = form === 'joined' ? (Array.isArray(command) ? command : []) : [command, ...listOf(args)]
  return words.length > 0 && words.every((word) => typeof word === 'string') ? (words as [string]) : undefined
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [undefined])

/** The command line with Assent in front of it. The server keeps its name in rules and on pages. */
export function wrapped(name: string, words: CommandLine, { assent, settings }: Wrapping): CommandLine {
  return [...assent, 'run', '--config', settings, '--name', name, '--', ...words]
}

/** The command line without Assent; undefined: Assent is not in front of it. */
export function unwrapped(words: CommandLine): CommandLine | undefined {
  const run = words.indexOf('run')
  const end = words.indexOf('--')
  const own = words.slice(0, run).at(-1)
  const isOurs = own !== undefined && (basename(own) === 'assent' || /[/\\]cli[/\\]main\.js$/.test(own))
  const rest = words.slice(end + 1)
  const [program, ...args] = rest
  return isOurs && end > run && program !== undefined ? [program, ...args] : undefined
}
