import { getOAuthProtectedResourceMetadataUrl } from '@modelcontextprotocol/server'
import { BadArgument } from '../../../base/errors.ts'
import { isUrl } from '../../../base/public-address.ts'
import type { Login } from '../../../participant/identify.ts'

/** What clients are told about getting a token for this server (RFC 9728). */
export interface ProtectedResource {
  readonly url: URL
  readonly metadataUrl: string
  readonly scopes: readonly string[]
  /** Answers requests for the metadata, at both well-known places (O-03); undefined for any other. */
  respond(method: string, pathname: string): Response | undefined
}

const wellKnown = '/.well-known/oauth-protected-resource'

export function protectedResource(login: Login, scopes: readonly string[], publicUrl?: string): ProtectedResource {
  const unsayable = scopes.find((scope) => !/^[!#-[\]-~]+$/.test(scope))
  if (unsayable !== undefined) throw new BadArgument(`"${unsayable}" is not a scope.`)
  const url = publicAddress(publicUrl ?? login.audience)
  const metadataUrl = getOAuthProtectedResourceMetadataUrl(url)
  const metadata = {
    resource: url.href,
    authorization_servers: [login.issuer],
    bearer_methods_supported: ['header'],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
  }
  const paths = [wellKnown, new URL(metadataUrl).pathname]
  return {
    url,
    metadataUrl,
    scopes,
    respond(method, pathname) {
      if (!paths.includes(pathname)) return undefined
      if (method !== 'GET') return new Response(null, { status: 405, headers: { Allow: 'GET' } })
      return Response.json(metadata, { headers: { 'Cache-Control': 'max-age=3600' } })
    },
  }
}

function publicAddress(url: string): URL {
  const parsed = isUrl(url) ? new URL(url) : undefined
  if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') return parsed
  throw new BadArgument(`"${url}" is not the address of this server. Set "url" to the one that clients use.`)
}
