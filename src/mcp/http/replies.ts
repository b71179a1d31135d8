import { isPlainObject } from '../../base/json.ts'
import { codes } from '../codes.ts'

/** An HTTP error whose body is a JSON-RPC error. */
export function refusal(
  status: number,
  message: string,
  {
    code = codes.serverError,
    id = null,
    headers = {},
  }: { code?: number; id?: string | number | null; headers?: Record<string, string> } = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status, headers })
}

/** The id for an answer to this message: that of a request, else null. */
export function idOf(body: unknown): string | number | null {
  if (!isPlainObject(body) || typeof body.method !== 'string') return null
  return typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null
}

/** The same answer for a session that ended, never existed, or belongs to somebody else (S-08). */
export const sessionNotFound = (body?: unknown) =>
  refusal(404, 'Session not found', { code: codes.sessionNotFound, id: idOf(body) })
