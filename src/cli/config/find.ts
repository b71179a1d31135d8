import { existsSync } from 'node:fs'

/** The files that are looked for in the working directory when `--config` names none, in this order. */
export const usualFiles = ['assent.yaml', 'assent.yml', 'assent.json'] as const

/** The file that `--config` names, or else the first of the usual ones that exists. */
export function findConfigFile(given: string | undefined): string | undefined {
  return given ?? usualFiles.find((file) => existsSync(file))
}
