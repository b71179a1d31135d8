import { FetchFailed, guardedFetch } from '../../base/guarded-fetch.ts'
import { isPlainObject } from '../../base/json.ts'
import type { Config } from '../config/config.ts'
import { type Finding, good, skipped, warning, wrong } from './finding.ts'

const timeoutMs = 5_000
const fetchAny = guardedFetch({ reach: 'anywhere', timeoutMs })

/** Checks that the login, the providers and the pages can be reached, and that their clocks agree with this one. */
export async function checkNetwork(config: Config): Promise<Finding[]> {
  const { auth, providers } = config
  const issuers = Object.entries(providers).flatMap(([name, settings]): [string, string][] =>
    typeof settings.issuer === 'string' ? [[name, settings.issuer]] : [],
  )
  const others = Object.keys(providers).filter((name) => !issuers.some(([known]) => known === name))
  return Promise.all([
    auth === undefined
      ? skipped('login', 'There is no login: one local person uses this installation.')
      : checkIssuer('login', auth.issuer),
    ...issuers.map(([name, issuer]) => checkIssuer(`provider ${name}`, issuer)),
    ...others.map((name) => skipped(`provider ${name}`, 'It has no address that could be checked.')),
    checkClock([...(auth === undefined ? [] : [auth.issuer]), ...issuers.map(([, issuer]) => issuer)]),
    checkPages(config),
  ])
}

async function checkIssuer(check: string, issuer: string): Promise<Finding> {
  const { discover } = await import('../../oauth/discover.ts')
  const { failureOf, tellFailure } = await import('../../oauth/failures.ts')
  try {
    await discover(issuer, timeoutMs)
    return good(check, `${issuer} can be reached, and describes itself.`)
  } catch (error) {
    return wrong(check, tellFailure(issuer, failureOf(error), []))
  }
}

const mostSkewMs = 30_000

/** Expiry times in tokens can be judged only when both clocks agree. */
async function checkClock(issuers: readonly string[]): Promise<Finding> {
  for (const issuer of issuers) {
    const before = Date.now()
    const date = await dateAt(issuer)
    if (date === undefined) continue
    const skewMs = date - (before + Date.now()) / 2
    const seconds = Math.round(Math.abs(skewMs) / 1_000)
    if (Math.abs(skewMs) <= mostSkewMs) return good('clock', `It agrees with ${issuer} to ${seconds} s.`)
    return wrong(
      'clock',
      `It is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} ${issuer}. Correct the clock of this machine.`,
    )
  }
  return skipped('clock', 'There is no login or provider to compare it with.')
}

async function dateAt(issuer: string): Promise<number | undefined> {
  try {
    const { headers } = await fetchAny(new URL(issuer))
    const date = Date.parse(headers.get('date') ?? '')
    return Number.isNaN(date) ? undefined : date
  } catch {
    return undefined
  }
}

async function checkPages({ publicUrl }: Config): Promise<Finding> {
  try {
    const response = await fetchAny(`${publicUrl}/healthz`)
    const body: unknown = await response.json().catch(() => undefined)
    if (response.ok && isPlainObject(body) && body.name === 'assent') return good('pages', `${publicUrl} is served.`)
    return wrong('pages', `Another program answers at ${publicUrl}. Check publicUrl, and the proxy in front of it.`)
  } catch (error) {
    if (error instanceof FetchFailed && error.reason === 'unreachable') {
      return warning('pages', `Nothing answers at ${publicUrl}. Start Assent with \`assent\`, or check publicUrl.`)
    }
    const reason = error instanceof FetchFailed ? error.reason : String(error)
    return wrong('pages', `${publicUrl} cannot be opened (${reason}). Check publicUrl.`)
  }
}
