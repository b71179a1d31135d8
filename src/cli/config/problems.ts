import { BadConfig } from '../../base/errors.ts'

/** Leads to a setting. */
export type Path = readonly (string | number)[]

/** Something wrong with a setting; `message` is a sentence that begins with how the setting is called. */
export interface Problem {
  readonly path: Path
  readonly message: string
}

/** Where settings were written, so that a message can say where to look. */
export interface Written {
  readonly file: string
  /** The line of a setting, or of what it would stand in. */
  lineOf(path: Path): number
}

/** How a person writes the path: `policy.rules[2].decide`. */
export function pathText(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`
      if (!/^[\w-]+$/.test(part)) return `[${JSON.stringify(part)}]`
      return index === 0 ? part : `.${part}`
    })
    .join('')
}

/** All problems in one error, in the order of the file, each with its line. */
export function badConfig(written: Written, problems: readonly Problem[]): BadConfig {
  const lines = problems
    .map(({ path, message }) => ({ line: written.lineOf(path), message }))
    .sort((a, b) => a.line - b.line)
    .map(({ line, message }) => `${written.file}:${line}: ${message}`)
  return new BadConfig([...new Set(lines)].join('\n'), problems.length === 1 ? problems[0]?.path : [])
}
