import type { AuthInfo } from '@modelcontextprotocol/server'
import { bodyOfRequest, type ReadBody } from './body.ts'

/** One request at the door. Its token is apart from it, so that nothing further in can log or pass on a token (O-02). */
export interface IncomingRequest {
  readonly request: Request
  readonly authorization: string | null
  /** The body is read only when it is wanted. */
  readonly readBody: ReadBody
  /** What was found out before, and is not to be found out again. */
  readonly prefetched?: Prefetched
}

/** What is known of a POST that a shortcut looked at and did not answer. */
export interface Prefetched {
  readonly authInfo: AuthInfo | Response | undefined
  /** Undefined: the body is too long. */
  readonly text: string | undefined
  /** What the shortcut leaves for whoever serves the request. */
  readonly handover?: object | undefined
}

const lefts = new WeakMap<Request, object>()

/** Remembers what a shortcut left, for as long as the request is served. */
export function rememberHandover(request: Request, left: object): void {
  lefts.set(request, left)
}

/** What a shortcut left for this request, once. */
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
