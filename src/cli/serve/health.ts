import type { IncomingMessage, ServerResponse } from 'node:http'
import { version } from '../version.ts'
import { type Reply, refusalOf, sendReply } from './reply.ts'

/** What `/healthz` answers. */
export const healthReply: Reply = { status: 200, body: { status: 'ok', name: 'assent', version } }

/** Answers `/healthz`, and returns false for any other path. */
export function answerHealth(request: IncomingMessage, response: ServerResponse, anyHost: boolean): boolean {
  if (!/^\/healthz(\?|$)/.test(request.url ?? '')) return false
  sendReply(refusalOf(request, anyHost) ?? healthReply, request, response)
  return true
}
