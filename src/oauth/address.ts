import { BadArgument } from '../base/errors.ts'
import { guardedFetch, type Reach } from '../base/guarded-fetch.ts'
import { failureOfStatus, OAuthFailed } from './failures.ts'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** An address of the login: https, or http on this machine. Anything else could be read or changed on the way. */
export function loginAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.has(url.hostname))) return url
  throw new BadArgument(`"${address}" must be an https address, or http on this machine.`)
}

/** How to fetch: how far, and how long to wait. */
export interface Fetching {
  readonly reach: Reach
  readonly timeoutMs?: number
  readonly answeredBy?: (address: string) => void
}

/** Fetches JSON: soon, without following it elsewhere, and only a 200 counts. */
export async function fetchJson(url: URL, fetching: Fetching, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await guardedFetch(fetching)(url, { headers: { Accept: 'application/json', ...headers } })
  if (response.status !== 200) throw new OAuthFailed(failureOfStatus(response.status) ?? { reason: 'no_metadata' })
  try {
    return await response.json()
  } catch {
    throw new OAuthFailed({ reason: 'bad_answer' })
  }
}
