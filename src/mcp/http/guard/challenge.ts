import type { ProtectedResource } from './resource.ts'

const complaints = {
  no_token: 'A bearer token is needed.',
  invalid_token: 'The token is not valid here, or no longer.',
  insufficient_scope: 'The token lacks a scope.',
} as const

/** Asks for a token, and says where to get one and which scopes it needs, all at once (O-03, O-04). */
export function challenge(resource: ProtectedResource, complaint: keyof typeof complaints): Response {
  const description = complaints[complaint]
  const parameters = {
    // A request without a token gets no error code (RFC 6750, 3.1).
    ...(complaint !== 'no_token' && { error: complaint, error_description: description }),
    ...(resource.scopes.length > 0 && { scope: resource.scopes.join(' ') }),
    resource_metadata: resource.metadataUrl,
  }
  const quoted = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  return Response.json(
    { error: complaint, error_description: description },
    {
      status: complaint === 'insufficient_scope' ? 403 : 401,
      headers: { 'WWW-Authenticate': `Bearer ${quoted.join(', ')}`, 'Cache-Control': 'no-store' },
    },
  )
}
