import { isUrl } from '../../base/public-address.ts'
import { type Discovered, discover } from '../discover.ts'
import { OAuthFailed } from '../failures.ts'
import type { DescribedResource } from './find-resource.ts'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Reads the metadata of an authorization server that an MCP server named. A server on the internet can name only servers on
 * the internet, and these only addresses there. Without PKCE none is used.
 */
export async function findServer(
  { reach }: Pick<DescribedResource, 'reach'>,
  issuer: string,
  timeoutMs?: number,
): Promise<Discovered> {
  const url = isUrl(issuer) ? new URL(issuer) : undefined
  const isPlain = url?.protocol === 'http:' && reach === 'anywhere' && loopback.has(url.hostname)
  if (url?.protocol !== 'https:' && !isPlain) throw new OAuthFailed({ reason: 'address_refused' })
  const found = await discover(issuer, timeoutMs, reach)
  const methods = found.metadata.code_challenge_methods_supported
  if (!Array.isArray(methods) || !methods.includes('S256')) throw new OAuthFailed({ reason: 'no_pkce' })
  return { ...found, reach: reach === 'internet' ? 'internet' : found.reach }
}
