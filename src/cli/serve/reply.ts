import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLoopbackAddress, isUrl } from '../../base/public-address.ts'
import { plainAddress } from '../../base/request-source.ts'
import { isLoopback } from '../../elicitation/asking/url.ts'

/** A small answer to somebody who operates this installation: JSON, or text of another kind. */
export interface Reply {
  readonly status: number
  readonly body: object | string
  readonly contentType?: string
}

export function sendReply(reply: Reply, { method }: Pick<IncomingMessage, 'method'>, response: ServerResponse): void {
  const { status, body, contentType = 'application/json' } = reply
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' })
  const text = typeof body === 'string' ? body : `${JSON.stringify(body)}\n`
  response.end(method === 'HEAD' ? undefined : text)
}

/**
 * Why the request is refused whatever it asks for; undefined when it is not. Without `anyHost` the `Host` header must
 * name this machine, so that a web page elsewhere cannot point a name of its own at it (DNS rebinding).
 */
export function refusalOf({ method, headers }: IncomingMessage, anyHost: boolean): Reply | undefined {
  if (!anyHost && !namesThisMachine(headers.host)) {
    return { status: 403, body: { error: 'This host name is not served here.' } }
  }
  if (method === 'GET' || method === 'HEAD') return undefined
  return { status: 405, body: { error: 'Only GET is served here.' } }
}

/** Whether a `Host` header names this machine. */
function namesThisMachine(host: string | undefined): boolean {
  return host !== undefined && isUrl(`http://${host}`) && isLoopback(new URL(`http://${host}`).hostname)
}

/** Whether a program on this machine sent the request, to a name of this machine. */
export function isFromThisMachine(request: IncomingMessage): boolean {
  const address = plainAddress(request.socket.remoteAddress ?? '')
  return isLoopbackAddress(address) && !isForwarded(request) && namesThisMachine(request.headers.host)
}

/** Whether a proxy passed the request on: then the socket's address is the proxy's, not the client's. */
export function isForwarded({ headers }: IncomingMessage): boolean {
  return ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => headers[name] !== undefined)
}
