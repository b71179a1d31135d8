import { bodyOfRequest, type ReadBody } from './body.ts'

/** One request at the door. Its token is apart from it, so that nothing further in can log or pass on a token (O-02). */
export interface Arrival {
  readonly request: Request
  readonly authorization: string | null
  /** The body is read only when it is wanted. */
  readonly readBody: ReadBody
}

export function arrivalOf(request: Request): Arrival {
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
