import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { isJsonContentType } from '@modelcontextprotocol/server'
import { isPlainObject, writeJson } from '../../base/json.ts'
import type { RequestHead } from '../../base/request-source.ts'
import { codes } from '../codes.ts'
import type { FastEnd, FastPath, FastReply } from '../fast-path.ts'
import type { Authenticate } from './guard/authenticate.ts'
import { type BodyLimits, bodyOfMessage, ownerOf } from './incoming.ts'
import type { NodeListener } from './node.ts'
import type { Sessions } from './session/sessions.ts'
import type { UnreadAnswers } from './unread-answers.ts'

/** What the fast path needs to know of its endpoint. */
export interface FastPathEndpoint {
  isOpen(): boolean
  /** Judges a request exactly as the endpoint itself does. */
  mayEnter(request: RequestHead, address: string | undefined): boolean
  readonly authenticate: Authenticate | undefined
  readonly find: Sessions['find']
  readonly bodies: BodyLimits
  readonly unread: UnreadAnswers
  onError(error: unknown): void
}

/** Tries the fast path on valid POSTs. Everything else goes to `fallback`, which also makes all refusals. */
export function fastPathListener(
  fastPath: FastPath,
  fallback: NodeListener,
  endpoint: FastPathEndpoint,
): RequestListener {
  return (message, response) => {
    if (!endpoint.isOpen() || !isValid(message, endpoint)) return fallback(message, response)
    tryFirst(fastPath, fallback, endpoint, message, response).catch((error) => {
      endpoint.onError(error)
      // A client that gets no answer would wait, or send the request again.
      if (response.headersSent) response.destroy()
      else response.writeHead(500, { 'content-type': 'application/json' }).end(internalError)
    })
  }
}

const internalError = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: codes.internalError, message: 'Internal server error' },
})

async function tryFirst(
  fastPath: FastPath,
  fallback: NodeListener,
  { authenticate, find, bodies, unread }: FastPathEndpoint,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers } = message
  const authInfo = authenticate === undefined ? undefined : await authenticate(headers.authorization ?? null)
  // The body of an unknown sender is not read.
  if (authInfo instanceof Response) return fallback(message, response, { authInfo, body: { kind: 'unread' } })
  const owner = ownerOf(authInfo)
  const body = await bodyOfMessage(message, owner, bodies)
  if (body.kind !== 'json' || !isPlainObject(body.value)) return fallback(message, response, { authInfo, body })
  const id = headers['mcp-session-id']
  const session = typeof id === 'string' ? find(id, authInfo) : undefined
  const reply = new HttpReply(response, owner, unread)
  let end: FastEnd = { kind: 'answered' }
  try {
    end = await fastPath({ headers, body: body.value, authInfo, session, reply })
  } finally {
    // Whoever goes on with the request gives its memory back.
    if (end.kind === 'answered') body.lease.release()
  }
  if (end.kind === 'not-handled') fallback(message, response, { authInfo, body })
  if (end.kind === 'started') fallback(message, response, { authInfo, body, handover: end.handover })
}

/** A class, so that calls share its functions: one made for each call would keep what it sees alive for longer. */
class HttpReply implements FastReply {
  readonly #response: ServerResponse
  readonly #owner: string
  readonly #unread: UnreadAnswers

  constructor(response: ServerResponse, owner: string, unread: UnreadAnswers) {
    this.#response = response
    this.#owner = owner
    this.#unread = unread
  }

  /** Head and body leave in one write. */
  send(message: object, sessionId: string | undefined): void {
    const text = writeJson(message)
    const headers = ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(text))]
    if (sessionId !== undefined) headers.push('mcp-session-id', sessionId)
    this.#response.writeHead(200, headers)
    this.#response.end(text)
    if (this.#response.writableLength > 0) this.#unread.wrote(this.#owner, this.#response)
  }

  end(): void {
    this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }).end()
  }

  onClose(listener: () => void): () => void {
    if (this.#response.closed) listener()
    else this.#response.on('close', listener)
    return () => this.#response.off('close', listener)
  }
}

function isValid(message: IncomingMessage, { mayEnter }: FastPathEndpoint): boolean {
  const { method, url = '', headers, rawHeaders, socket } = message
  if (method !== 'POST' || !isJsonContentType(headers['content-type'] ?? null)) return false
  // A header that came twice may be read in two ways.
  if (Object.keys(headers).length * 2 !== rawHeaders.length) return false
  if (headers.host === undefined) return false
  return mayEnter(
    { url, headers: { get: (name) => (headers[name] as string | undefined) ?? null, has: (name) => name in headers } },
    socket.remoteAddress,
  )
}
