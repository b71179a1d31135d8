import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { restoreNumbers, restoreNumbersIn } from '../../base/json.ts'
import {
  type Body,
  type BodyLimits,
  bodyOfMessage,
  type IncomingRequest,
  type Prefetched,
  parsedBody,
} from './incoming.ts'
import { refusal } from './replies.ts'
import { localOwner } from './session/session-pool.ts'
import type { UnreadAnswers } from './unread-answers.ts'

type Serve = (incoming: IncomingRequest, socket: Socket) => Promise<Response>

/** A listener for `http.createServer` that can be given what is known of a request already. */
export type NodeListener = (message: IncomingMessage, reply: ServerResponse, prefetched?: Prefetched) => void

/** What the listener needs to know of its endpoint. */
export interface NodeEndpoint {
  readonly bodies: BodyLimits
  readonly unread: UnreadAnswers
}

/** Serves node:http. A client that disconnects aborts its request's signal. */
export function nodeListener(serve: Serve, { bodies, unread }: NodeEndpoint): NodeListener {
  return (message, reply, prefetched) => {
    const answering = new Answering(reply, unread)
    if (prefetched?.body !== undefined) answering.holds(prefetched.body)
    const parsed = prefetched?.parsed
    const readBody = async (owner: string) =>
      answering.holds(
        parsed === undefined ? await bodyOfMessage(message, owner, bodies) : parsedBody(parsed, owner, bodies),
      )
    const identified = (owner: string) => {
      answering.owner = owner
    }
    handle(message, serve, answering.gone, { readBody, identified, ...(prefetched !== undefined && { prefetched }) })
      .then((response) => answering.write(response))
      .catch(() => reply.destroy())
  }
}

type Reading = Pick<IncomingRequest, 'readBody' | 'identified' | 'prefetched'>

async function handle(
  message: IncomingMessage,
  serve: Serve,
  signal: AbortSignal,
  reading: Reading,
): Promise<Response> {
  // HTTP/1.0 allows it, but whom such a request was meant for cannot be checked.
  if (message.headers.host === undefined) return refusal(400, 'The request does not name its host. Send a Host header.')
  const request = requestOf(message, signal)
  if (request === undefined) return refusal(400, 'Bad Request')
  const authorization = message.headers.authorization ?? null
  return serve({ request, authorization, ...reading }, message.socket)
}

/** Undefined for what Node accepts and a web Request does not, such as the method TRACE. */
function requestOf({ rawHeaders, headers: { host }, url, method }: IncomingMessage, signal: AbortSignal) {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.toLowerCase() !== 'authorization') headers.append(name, rawHeaders[at + 1] as string)
  }
  try {
    return new Request(`http://${host}${url}`, { method: method ?? 'GET', headers, signal })
  } catch {
    return undefined
  }
}

/** The way back to the client of one request, and the memory that its body takes until then. */
class Answering {
  owner = localOwner
  readonly #reply: ServerResponse
  readonly #unread: UnreadAnswers
  readonly #gone = new AbortController()

  constructor(reply: ServerResponse, unread: UnreadAnswers) {
    this.#reply = reply
    this.#unread = unread
    const close = () => {
      if (!reply.writableFinished) this.#gone.abort()
    }
    reply.on('close', close)
    if (reply.closed) close()
  }

  /** Aborted when the client has disconnected. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** Gives the memory of a body back when the request is over. */
  holds(body: Body): Body {
    if (body.kind !== 'json') return body
    const { lease } = body
    if (this.#reply.closed) lease.release()
    else this.#reply.on('close', () => lease.release())
    return body
  }

  async write(response: Response): Promise<void> {
    const reply = this.#reply
    if (this.gone.aborted) return response.body?.cancel()
    const headers = Object.fromEntries(response.headers)
    if (headers['content-type']?.startsWith('text/event-stream')) {
      reply.writeHead(response.status, headers)
      return this.#stream(response)
    }
    // Head and body in one write cost half of two writes.
    const text = restoreNumbers(await response.text())
    reply.writeHead(response.status, { ...headers, 'content-length': Buffer.byteLength(text) })
    reply.end(text)
    this.#countUnread()
  }

  #countUnread(): void {
    if (this.#reply.writableLength > 0) this.#unread.wrote(this.owner, this.#reply)
  }

  async #stream({ body }: Response): Promise<void> {
    const reply = this.#reply
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    this.gone.addEventListener('abort', () => reader.cancel().catch(() => {}), { once: true })
    // The client waits for the head. It leaves at once, together with events that are ready.
    const flush = setImmediate(() => reply.flushHeaders())
    for (;;) {
      const { value } = await reader.read()
      clearImmediate(flush)
      if (value === undefined) break
      // Not held back for a slow reader: the SDK would go on to fill its own queue, which nobody can measure.
      reply.write(restoreNumbersIn(value))
      this.#countUnread()
    }
    reply.end()
  }
}
