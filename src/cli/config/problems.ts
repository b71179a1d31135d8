import { BadConfig } from '../../base/errors.ts'

/** The names and indexes that lead to a setting. */
export type Path = readonly (string | number)[]

/** Something wrong with a setting. `message` is a sentence that begins with the name of the setting. */
export interface Problem {
  readonly path: Path
  readonly message: string
}

/** The file that settings come from, so that a message can name the line. */
export interface Written {
  readonly file: string
  /** The line of a setting, or of the section it would be in. */
  lineOf(path: Path): number
}

/** The path as people write it: `policy.rules[2].decide`. */
export function pathText(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`
      if (!/^[\w-]+$/.test(part)) return `[${JSON.stringify(part)}]`
      return index === 0 ? part : `.${part}`
    })
    .join('')
}

/** One error for all problems: those of environment variables, then those of the file in its order, each with its line. */
export function badConfig(
  written: Written,
  problems: readonly Problem[],
  ofEnvironment: readonly Problem[] = [],
): BadConfig {
  const lines = problems
    .map(({ path, message }) => ({ line: written.lineOf(path), message }))
    .sort((a, b) => a.line - b.line)
    .map(({ line, message }) => `${written.file}:${line}: ${message}`)
  const all = [...ofEnvironment.map(({ message }) => `environment: ${message}`), ...new Set(lines)]
  return new BadConfig(all.join('\n'), problems.length === 1 ? problems[0]?.path : [])
}
