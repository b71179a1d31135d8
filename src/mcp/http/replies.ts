import { isPlainObject } from '../../base/json.ts'
import { codes } from '../codes.ts'
import type { BodyFault, BodyLimits } from './incoming.ts'

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

/** The refusal of a request whose body was not read or not understood. */
export function bodyRefusal(fault: BodyFault, { bodyBytes, bodyValues, bodyMs }: BodyLimits): Response {
  const closing = { Connection: 'close' }
  switch (fault) {
    case 'too-large':
      return refusal(413, `The body is larger than ${bodyBytes} bytes`, { headers: closing })
    case 'too-late':
      return refusal(408, `The body did not arrive within ${bodyMs} ms`, { headers: closing })
    case 'too-many-values':
      return refusal(413, `The body holds more than ${bodyValues} JSON values`, { code: codes.invalidRequest })
    case 'no-room':
      return refusal(503, 'Too much is in flight here already. Wait for answers, then send it again.', {
        headers: { ...closing, 'Retry-After': '2' },
      })
    case 'not-json':
      return refusal(400, 'Parse error: the body is not JSON', { code: codes.parseError })
    case 'unread':
      return refusal(400, 'Bad Request', { headers: closing })
  }
}

/** The id for an answer to this message: that of a request, else null. */
export function idOf(body: unknown): string | number | null {
  if (!isPlainObject(body) || typeof body.method !== 'string') return null
  return typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null
}

/** The same answer for a session that ended, never existed, or belongs to somebody else (S-08). */
export const sessionNotFound = (body?: unknown) =>
  refusal(404, 'Session not found', { code: codes.sessionNotFound, id: idOf(body) })

export function noRoomForSession(id: string | number | null): Response {
  const message = 'Too many sessions are open. End those that are not needed, or try again later.'
  return refusal(503, message, { id, headers: { 'Retry-After': '30' } })
}

/** The same response. `ended` is called when its body was read to the end, given up, or both. */
export function withEnd(response: Response, ended: () => void): Response {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value } = await reader.read()
      if (value !== undefined) return controller.enqueue(value)
      ended()
      controller.close()
    },
    cancel(reason) {
      ended()
      return reader.cancel(reason)
    },
  })
  return new Response(body, response)
}
