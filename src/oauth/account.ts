import { isPlainObject } from '../base/json.ts'
import { visibleLine } from '../base/text/visible-text.ts'
import { type Fetching, fetchJson } from './address.ts'

/** The first of these that a person's claims have is what people read. */
const namingClaims = ['preferred_username', 'email', 'name', 'sub']

/** Whose account it is, as people read it. Undefined: the claims name nobody. */
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

/** Asks a server whose account it is. Undefined: it did not say, which spoils nothing. */
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
