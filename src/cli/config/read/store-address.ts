import { dirname, isAbsolute, join } from 'node:path'
import { readAddress } from '../../../stores/open.ts'
import { defaults } from '../defaults.ts'
import { findConfigFile } from '../find.ts'
import { badConfig, type Problem } from '../problems.ts'
import { type Environment, filledIn } from './environment.ts'

/** Whether the text is the address of a store. */
export function isStoreAddress(text: string): boolean {
  try {
    readAddress(text)
    return true
  } catch {
    return false
  }
}

/** The address with its path resolved from `folder`. */
export function storeFrom(address: string, folder: string): string {
  const [, path] = /^sqlite:(.+)$/s.exec(address) ?? []
  return path === undefined || isAbsolute(path) ? address : `sqlite:${join(folder, path)}`
}

/** Reads the store's address only, for commands that need nothing else: the rest of the file may need variables that are not set. */
export async function readStoreAddress(
  given: { readonly config?: string; readonly store?: string },
  env: Environment = process.env,
): Promise<string> {
  if (given.store !== undefined) return given.store
  const file = findConfigFile(given.config)
  if (file === undefined) return defaults.store
  // Only here, so that a start without a settings file does not load YAML.
  const { readDocument } = await import('../document.ts')
  const document = await readDocument(file)
  const problems: Problem[] = []
  const store = filledIn(document.value.store ?? defaults.store, { path: ['store'], env, problems })
  if (problems.length === 0 && (typeof store !== 'string' || !isStoreAddress(store))) {
    problems.push({
      path: ['store'],
      message: 'store is not the address of a store; write memory:, sqlite:<path>, postgres://… or redis://….',
    })
  }
  if (problems.length > 0) throw badConfig(document, problems)
  return storeFrom(store as string, dirname(file))
}
