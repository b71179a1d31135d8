import { isPlainObject } from '../base/json.ts'
import { visibleLine } from '../base/text/visible-text.ts'
import { type Fetching, fetchJson } from './address.ts'

/** The claims that may name the account, most readable first. */
const namingClaims = ['preferred_username', 'email', 'name', 'sub']

/** The name of the account, as people know it. Undefined when no claim names it. */
export function accountIn(
  claims: Readonly<Record<string, unknown>>,
  names: readonly string[] = namingClaims,
): string | undefined {
  for (const name of names) {
    const value = claims[name]
    if (typeof value === 'string' && value.trim() !== '') return visibleLine(value.trim(), 100)
  }
  return undefined
}

/** Asks the server for the name of the account. Undefined when it gives none: the account works without it. */
export async function askForAccount(
  url: URL,
  accessToken: string,
  fetching: Fetching,
  names?: readonly string[],
): Promise<string | undefined> {
  try {
    const claims = await fetchJson(url, fetching, { Authorization: `Bearer ${accessToken}` })
    return isPlainObject(claims) ? accountIn(claims, names) : undefined
  } catch {
    return undefined
  }
}
