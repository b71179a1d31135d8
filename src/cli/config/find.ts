import { existsSync } from 'node:fs'

/** Where settings are looked for when nobody says where. */
export const usualFiles = ['assent.yaml', 'assent.yml', 'assent.json'] as const

/** The file that was named, else the first usual one that is here. */
export function findConfigFile(given: string | undefined): string | undefined {
  return given ?? usualFiles.find((file) => existsSync(file))
}
