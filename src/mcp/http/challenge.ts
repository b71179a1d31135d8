import type { ProtectedResource } from './resource.ts'

/** Why a request needs another token, in the words of RFC 6750. Nothing was sent: no reason is given. */
export type Complaint =
  | { readonly error?: undefined }
  | { readonly error: 'invalid_token' | 'insufficient_scope'; readonly description: string }

/** Asks for a token, and says where to get one and which scopes it needs, all at once (O-03, O-04). */
export function challenge(resource: ProtectedResource, complaint: Complaint = {}): Response {
  const { error } = complaint
  const parameters = {
    ...(error !== undefined && { error, error_description: complaint.description }),
    ...(resource.scopes.length > 0 && { scope: resource.scopes.join(' ') }),
    resource_metadata: resource.metadataUrl,
  }
  const quoted = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  return Response.json(
    {
      error: error ?? 'invalid_request',
      error_description: complaint.error ? complaint.description : 'A bearer token is needed.',
    },
    {
      status: error === 'insufficient_scope' ? 403 : 401,
      headers: { 'WWW-Authenticate': `Bearer ${quoted.join(', ')}`, 'Cache-Control': 'no-store' },
    },
  )
}
