import { type FetchGuard, guardedFetch, type Reach } from '../../base/guarded-fetch.ts'
import { isPlainObject } from '../../base/json.ts'
import { isPublicAddress, isUrl } from '../../base/public-address.ts'
import { fetchJson } from '../address.ts'
import { type Failure, failureOf, OAuthFailed } from '../failures.ts'
import { isResourceOf } from './is-resource.ts'

/** What a server says of itself as a protected resource (RFC 9728). */
export interface DescribedResource {
  /** The address that tokens are asked for (RFC 8707). */
  readonly resource: string
  /** Its authorization servers, the preferred one first. */
  readonly issuers: readonly string[]
  /** What it wants tokens to allow. */
  readonly scopes: readonly string[]
  /** A server on the internet must not lead into a private network. */
  readonly reach: Reach
}

const mostIssuers = 10
const mostScopes = 100
const wellKnown = '/.well-known/oauth-protected-resource'

/** Finds out who gives access to an MCP server: by the challenge of its 401, or at the addresses of RFC 9728. */
export async function findResource(server: URL, timeoutMs?: number): Promise<DescribedResource> {
  const guard = timeoutMs === undefined ? {} : { timeoutMs }
  let reach: Reach = 'internet'
  const answeredBy = (address: string) => {
    if (!isPublicAddress(address)) reach = 'anywhere'
  }
  const challenge = await challengeOf(server, { ...guard, reach: 'anywhere', answeredBy })
  const failures: Failure[] = []
  for (const place of placesOf(server, challenge.metadata)) {
    try {
      const found = readMetadata(await fetchJson(place, { ...guard, reach }), server)
      return { ...found, reach, scopes: challenge.scopes ?? found.scopes }
    } catch (error) {
      failures.push(failureOf(error))
      if (failures.at(-1)?.reason !== 'no_metadata') break
    }
  }
  const last = failures.at(-1)
  throw new OAuthFailed(last === undefined || last.reason === 'no_metadata' ? { reason: 'no_resource_metadata' } : last)
}

interface Challenge {
  readonly metadata?: string
  readonly scopes?: readonly string[]
}

/** Asks for nothing but an answer: `ping` changes nothing at a server that lets everybody in. */
async function challengeOf(server: URL, guard: FetchGuard): Promise<Challenge> {
  const response = await guardedFetch(guard)(server, {
    method: 'POST',
    headers: { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  })
  if (response.status !== 401) return {}
  const given = (response.headers.get('www-authenticate') ?? '').slice(0, 8_192)
  const metadata = parameterOf(given, 'resource_metadata')
  const scopes = parameterOf(given, 'scope')?.split(' ').filter(Boolean)
  return { ...(metadata !== undefined && { metadata }), ...(scopes !== undefined && { scopes: scopesIn(scopes) }) }
}

function parameterOf(challenge: string, name: string): string | undefined {
  const [, quoted, bare] =
    new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]+))`, 'i').exec(challenge) ?? []
  return quoted?.replace(/\\(.)/g, '$1') ?? bare
}

/** The metadata of a server is believed only at its own origin: elsewhere it could be that of somebody else. */
function placesOf(server: URL, told: string | undefined): URL[] {
  if (told === undefined) {
    const path = server.pathname.replace(/\/$/, '')
    return [...new Set([`${wellKnown}${path}${server.search}`, wellKnown])].map((place) => new URL(place, server))
  }
  const place = isUrl(told) ? new URL(told) : undefined
  if (place?.origin !== server.origin) throw new OAuthFailed({ reason: 'metadata_elsewhere' })
  return [place]
}

function readMetadata(metadata: unknown, server: URL): Omit<DescribedResource, 'reach'> {
  if (!isPlainObject(metadata)) throw new OAuthFailed({ reason: 'bad_answer' })
  const { resource, authorization_servers: issuers, scopes_supported: scopes = [] } = metadata
  if (typeof resource !== 'string' || !isResourceOf(resource, server)) {
    throw new OAuthFailed({ reason: 'resource_differs' })
  }
  if (!isTexts(issuers) || issuers.length === 0 || issuers.length > mostIssuers || !issuers.every(isUrl)) {
    throw new OAuthFailed({ reason: 'no_authorization_server' })
  }
  return { resource, issuers, scopes: scopesIn(isTexts(scopes) ? scopes : []) }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

const scopesIn = (scopes: readonly string[]) =>
  [...new Set(scopes)].filter((scope) => /^[!#-[\]-~]{1,256}$/.test(scope)).slice(0, mostScopes)
