import { BadArgument } from '../base/errors.ts'
import { guardedFetch, type Reach } from '../base/guarded-fetch.ts'
import { isUrl } from '../base/public-address.ts'
import { failureOfStatus, OAuthFailed } from './failures.ts'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The address of a login or provider: https, or http on this machine. Others could be read or changed on the way. */
export function loginAddress(address: string): URL {
  const url = isUrl(address) ? new URL(address) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.has(url.hostname))) return url
  throw new BadArgument(`"${address}" must be an https address, or http on this machine.`)
}

/** Which addresses a request may reach, and how long it may take. */
export interface Fetching {
  readonly reach: Reach
  readonly timeoutMs?: number
  /** Gets the IP address that answered. */
  readonly answeredBy?: (address: string) => void
}

/** Fetches JSON. Redirects are not followed, and any status but 200 is a failure. */
export async function fetchJson(url: URL, fetching: Fetching, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await guardedFetch(fetching)(url, { headers: { Accept: 'application/json', ...headers } })
  if (response.status !== 200) throw new OAuthFailed(failureOfStatus(response.status) ?? { reason: 'no_metadata' })
  try {
    return await response.json()
  } catch {
    throw new OAuthFailed({ reason: 'bad_answer' })
  }
}
