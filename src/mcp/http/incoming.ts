import type { AuthInfo } from '@modelcontextprotocol/server'
import { bodyOfRequest, type ReadBody } from './body.ts'

/** An HTTP request. Its token is kept apart, so that nothing that handles the request can log or forward it (O-02). */
export interface IncomingRequest {
  readonly request: Request
  readonly authorization: string | null
  /** Reads the body on demand. */
  readonly readBody: ReadBody
  /** What the fast path has found out already. */
  readonly prefetched?: Prefetched
}

/** What is known of a POST that the fast path did not answer. */
export interface Prefetched {
  readonly authInfo: AuthInfo | Response | undefined
  /** Undefined: the body is too long. */
  readonly text: string | undefined
  /** What the fast path started, for the SDK server's handler. */
  readonly handover?: object | undefined
}

const lefts = new WeakMap<Request, object>()

/** Remembers what the fast path started, for as long as the request is served. */
export function rememberHandover(request: Request, left: object): void {
  lefts.set(request, left)
}

/** What the fast path started for this request. Returned once. */
export function takeHandover(request: Request | undefined): object | undefined {
  if (request === undefined) return undefined
  const left = lefts.get(request)
  lefts.delete(request)
  return left
}

export function incomingFrom(request: Request): IncomingRequest {
  const authorization = request.headers.get('authorization')
  return {
    request: authorization === null ? request : withoutToken(request),
    authorization,
    readBody: bodyOfRequest(request),
  }
}

function withoutToken({ url, method, headers: sent, signal }: Request): Request {
  const headers = new Headers(sent)
  headers.delete('authorization')
  return new Request(url, { method, headers, signal })
}
