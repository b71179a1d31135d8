import type { Unauthorized } from '../upstream.ts'
import type { ResponseHeaders } from './exchange.ts'

const parameter = /([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi

/** Reads the challenge of a 401, or of a 403 with `WWW-Authenticate`; undefined for any other response. */
export function readChallenge(status: number, headers: ResponseHeaders): Unauthorized | undefined {
  const given = headers['www-authenticate']
  if (status !== 401 && (status !== 403 || given === undefined)) return undefined
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, bare = ''] of String(given ?? '')
    .slice(0, 8_192)
    .matchAll(parameter)) {
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? bare)
  }
  const scopes = parameters.get('scope')?.split(' ').filter(Boolean)
  const error = parameters.get('error')
  const resourceMetadata = parameters.get('resource_metadata')
  return {
    kind: 'unauthorized',
    status,
    ...(scopes !== undefined && scopes.length > 0 && { scopes }),
    ...(error !== undefined && { error }),
    ...(resourceMetadata !== undefined && { resourceMetadata }),
  }
}
