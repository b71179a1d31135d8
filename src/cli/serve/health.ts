import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLoopback } from '../../elicitation/asking/url.ts'
import { version } from '../version.ts'

interface Reply {
  readonly status: number
  readonly body: object
}

/** Answers `/healthz`. False: it is another path. */
export function answerHealth(request: IncomingMessage, response: ServerResponse, isPublic: boolean): boolean {
  if (!/^\/healthz(\?|$)/.test(request.url ?? '')) return false
  sendJson(health(request, isPublic), response)
  return true
}

/** A page elsewhere that points its own name at this machine is not one of ours. */
function isOurs(header: string | undefined): boolean {
  return header !== undefined && URL.canParse(`http://${header}`) && isLoopback(new URL(`http://${header}`).hostname)
}

export function sendJson({ status, body }: Reply, response: ServerResponse): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(`${JSON.stringify(body)}\n`)
}

function health({ method, headers }: IncomingMessage, isPublic: boolean): Reply {
  if (!isPublic && !isOurs(headers.host)) return { status: 403, body: { error: 'This host name is not served here.' } }
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: { error: 'Only GET is served here.' } }
  return { status: 200, body: { status: 'ok', name: 'assent', version } }
}
