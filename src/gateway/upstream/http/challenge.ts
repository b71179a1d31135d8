import type { Unauthorized } from '../upstream.ts'
import type { ResponseHeaders } from './exchange.ts'

const parameter = /([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi

/** What a 401, or a 403 that says so, asks for; undefined for any other answer. */
export function readChallenge(status: number, headers: ResponseHeaders): Unauthorized | undefined {
  const given = headers['www-authenticate']
  if (status !== 401 && (status !== 403 || given === undefined)) return undefined
  const said = new Map<string, string>()
  for (const [, name = '', quoted, bare = ''] of String(given ?? '')
    .slice(0, 8_192)
    .matchAll(parameter)) {
    said.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? bare)
  }
  const scopes = said.get('scope')?.split(' ').filter(Boolean)
  const error = said.get('error')
  const resourceMetadata = said.get('resource_metadata')
  return {
    kind: 'unauthorized',
    status,
    ...(scopes !== undefined && scopes.length > 0 && { scopes }),
    ...(error !== undefined && { error }),
    ...(resourceMetadata !== undefined && { resourceMetadata }),
  }
}
