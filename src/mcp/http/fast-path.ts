import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type AuthInfo, isJsonContentType } from '@modelcontextprotocol/server'
import { isPlainObject, writeJson } from '../../base/json.ts'
import type { RequestHead } from '../../base/request-source.ts'
import { codes } from '../codes.ts'
import type { FastEnd, FastHttp, FastPath, FastReply, FastRequest } from '../fast-path.ts'
import type { Authenticate } from './guard/authenticate.ts'
import { type Body, type BodyLimits, ownerOf, readMessageBody } from './incoming.ts'
import type { NodeListener } from './node.ts'
import { readAnswer } from './session/read-answer.ts'
import type { FoundSession, Sessions } from './session/served-session.ts'
import { cutOff } from './session/session.ts'
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
  /** Aborted when the endpoint closes. */
  readonly closing: AbortSignal
  onError(error: unknown): void
}

/** Tries the fast path on valid POSTs. Everything else goes to `fallback`, which also makes all refusals. */
export function fastPathListener(
  fastPath: FastPath,
  fallback: NodeListener,
  endpoint: FastPathEndpoint,
): RequestListener {
  const serving = { ...endpoint, fastPath, fallback }
  return (message, response) => {
    if (!endpoint.isOpen() || !isValid(message, endpoint)) return fallback(message, response)
    new TriedRequest(serving, message, response).begin()
  }
}

interface FastServing extends FastPathEndpoint {
  readonly fastPath: FastPath
  readonly fallback: NodeListener
}

const internalError = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: codes.internalError, message: 'Internal server error' },
})

/**
 * A POST that the fast path is tried on. It waits for a promise only where something has to be waited for. A class, so
 * that calls share its functions: one made for each call would keep what it sees alive for longer.
 */
class TriedRequest implements FastRequest, FastReply, FastHttp {
  readonly headers: IncomingHttpHeaders
  body: Record<string, unknown> = {}
  authInfo: AuthInfo | undefined
  session: FoundSession | undefined
  readonly #serving: FastServing
  readonly #message: IncomingMessage
  readonly #response: ServerResponse
  #owner = ''
  /** Set when the answer has become a stream. Keeps it alive. */
  #stream: NodeJS.Timeout | undefined
  #read: Body | undefined

  constructor(serving: FastServing, message: IncomingMessage, response: ServerResponse) {
    this.#serving = serving
    this.#message = message
    this.#response = response
    this.headers = message.headers
  }

  get reply(): FastReply {
    return this
  }

  get http(): FastHttp {
    return this
  }

  begin() {
    const { authenticate } = this.#serving
    if (authenticate === undefined) return this.#identified(undefined)
    const found = authenticate(this.headers.authorization ?? null)
    if (found instanceof Promise) {
      found.then((authInfo) => this.#identified(authInfo)).catch((error: unknown) => this.#failed(error))
    } else this.#identified(found)
  }

  #identified(authInfo: AuthInfo | Response | undefined) {
    const { fallback, bodies } = this.#serving
    // The body of an unknown sender is not read.
    if (authInfo instanceof Response) {
      return fallback(this.#message, this.#response, { authInfo, body: { kind: 'unread' } })
    }
    this.authInfo = authInfo
    this.#owner = ownerOf(authInfo)
    readMessageBody(this.#message, this.#owner, bodies, (body, error) => {
      if (body === undefined) this.#failed(error)
      else this.#received(body)
    })
  }

  #received(body: Body) {
    this.#read = body
    if (body.kind !== 'json' || !isPlainObject(body.value)) return this.#fallBack()
    this.body = body.value
    const id = this.headers['mcp-session-id']
    this.session = typeof id === 'string' ? this.#serving.find(id, this.authInfo) : undefined
    try {
      if (this.session !== undefined && this.#answers(this.session)) return
      const end = this.#serving.fastPath(this)
      if (end instanceof Promise) {
        end.then((later) => this.#ended(later)).catch((error: unknown) => this.#failed(error))
      } else this.#ended(end)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** A form's answer goes straight to the session's server, which waits for it. */
  #answers(session: FoundSession): boolean {
    const answer = readAnswer(this.body, this.headers, session.server.getNegotiatedProtocolVersion())
    if (answer === undefined) return false
    const isReceived = session.receive(answer)
    if (isReceived instanceof Promise) {
      isReceived.then((later) => this.#accepted(later)).catch((error: unknown) => this.#failed(error))
    } else this.#accepted(isReceived)
    return true
  }

  #accepted(isReceived: boolean): void {
    if (!isReceived) this.#fallBack()
    else {
      this.#release()
      this.#response.writeHead(202, ['content-length', '0']).end()
    }
  }

  #ended(end: FastEnd) {
    switch (end.kind) {
      case 'answered':
        return this.#release()
      case 'not-handled':
        return this.#fallBack()
      case 'started':
        return this.#fallBack(end.handover)
    }
  }

  /** Whoever goes on with the request gives the memory of its body back. */
  #fallBack(handover?: object): void {
    const known = { authInfo: this.authInfo, body: this.#read as Body }
    this.#serving.fallback(this.#message, this.#response, handover === undefined ? known : { ...known, handover })
  }

  #failed(error: unknown): void {
    this.#release()
    this.#serving.onError(error)
    // A client that gets no answer would wait, or send the request again.
    if (this.#response.headersSent) this.#response.destroy()
    else this.#response.writeHead(500, { 'content-type': 'application/json' }).end(internalError)
  }

  #release(): void {
    if (this.#read?.kind === 'json') this.#read.lease.release()
  }

  /** Head and body leave in one write. */
  send(message: object, sessionId: string | undefined): void {
    this.sendText(writeJson(message), sessionId)
  }

  sendText(text: string, sessionId: string | undefined): void {
    if (this.#stream !== undefined) {
      this.#event(text)
      this.#response.end()
    } else this.#write(200, text, sessionId)
  }

  #write(status: number, text: string, sessionId?: string): void {
    const headers = ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(text))]
    if (sessionId !== undefined) headers.push('mcp-session-id', sessionId)
    this.#response.writeHead(status, headers)
    this.#response.end(text)
    this.#countUnread()
  }

  #countUnread(): void {
    if (this.#response.writableLength > 0) this.#serving.unread.wrote(this.#owner, this.#response)
  }

  notify(message: object): void {
    this.#stream ??= openStream(this.#response)
    this.#event(writeJson(message))
  }

  #event(text: string): void {
    this.#response.write(`event: message\ndata: ${text}\n\n`)
    this.#countUnread()
  }

  refuse(status: number, response: object): void {
    if (this.#stream !== undefined) this.send(response, undefined)
    else this.#write(status, writeJson(response))
  }

  onGone(id: string | number, listener: () => void): () => void {
    const { closing } = this.#serving
    const response = this.#response
    const disconnected = () => {
      if (!response.writableFinished) listener()
    }
    const cut = () => {
      this.refuse(503, { jsonrpc: '2.0', error: { code: codes.serverError, message: cutOff }, id })
      listener()
    }
    closing.addEventListener('abort', cut, { once: true })
    if (response.closed) disconnected()
    else response.on('close', disconnected)
    return () => {
      closing.removeEventListener('abort', cut)
      response.off('close', disconnected)
    }
  }

  end(): void {
    this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }).end()
  }

  onClose(listener: () => void): void {
    if (this.#response.closed) listener()
    else this.#response.on('close', listener)
  }
}

/** The SDK's own interval. */
const keepAliveMs = 15_000

/** Begins a stream of events, as the SDK does. */
function openStream(response: ServerResponse): NodeJS.Timeout {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    connection: 'keep-alive',
    'x-accel-buffering': 'no',
  })
  const timer = setInterval(() => response.writableEnded || response.write(': keepalive\n\n'), keepAliveMs).unref()
  response.on('close', () => clearInterval(timer))
  return timer
}

function isValid(message: IncomingMessage, { mayEnter }: FastPathEndpoint): boolean {
  const { method, url = '', headers, rawHeaders, socket } = message
  if (method !== 'POST' || !isJson(headers['content-type'])) return false
  // A header that came twice may be read in two ways.
  if (countOf(headers) * 2 !== rawHeaders.length) return false
  if (headers.host === undefined) return false
  return mayEnter(
    { url, headers: { get: (name) => (headers[name] as string | undefined) ?? null, has: (name) => name in headers } },
    socket.remoteAddress,
  )
}

function isJson(contentType: string | undefined): boolean {
  return contentType === 'application/json' || isJsonContentType(contentType ?? null)
}

function countOf(headers: IncomingHttpHeaders): number {
  let count = 0
  for (const _ in headers) count += 1
  return count
}
