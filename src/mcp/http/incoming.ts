import type { IncomingMessage } from 'node:http'
import { type AuthInfo, readRequestBody } from '@modelcontextprotocol/server'

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

/** Reads a body up to `limit` bytes. Undefined: it is larger, and the rest was not read. */
export type ReadBody = (limit: number) => Promise<string | undefined>

function bodyOfRequest(request: Request): ReadBody {
  return async (limit) => {
    const body = await readRequestBody(request, limit)
    return body.tooLarge ? undefined : body.text
  }
}

/** Reads from Node's stream: reading through a web Request would cost nearly as much as the rest of the call. */
export function bodyOfMessage(message: IncomingMessage): ReadBody {
  return async (limit) => {
    if (Number(message.headers['content-length']) > limit) return undefined
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let size = 0
      // Not `for await`: leaving such a loop destroys the socket, and the refusal could not be sent.
      message.on('data', (chunk: Buffer) => {
        size += chunk.length
        chunks.push(chunk)
        if (size <= limit) return
        message.removeAllListeners('data').pause()
        resolve(undefined)
      })
      message.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
      message.on('error', reject)
    })
  }
}
