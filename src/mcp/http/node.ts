import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { restoreNumbers, restoreNumbersIn } from '../../base/json.ts'
import type { IncomingRequest, Prefetched } from './incoming.ts'
import { bodyOfMessage } from './incoming.ts'
import { refusal } from './replies.ts'

type Serve = (incoming: IncomingRequest, socket: Socket) => Promise<Response>

/** A listener for `http.createServer` that can be given what is known of a request already. */
export type NodeListener = (message: IncomingMessage, reply: ServerResponse, prefetched?: Prefetched) => void

/** Serves node:http. A client that disconnects aborts its request's signal. A slow reader is waited for. */
export function nodeListener(serve: Serve): NodeListener {
  return (message, reply, prefetched) => {
    const gone = new AbortController()
    const close = () => {
      if (!reply.writableFinished) gone.abort()
    }
    reply.on('close', close)
    if (reply.closed) close()
    handle(message, serve, gone.signal, prefetched)
      .then((response) => write(response, reply, gone.signal))
      .catch(() => reply.destroy())
  }
}

async function handle(
  message: IncomingMessage,
  serve: Serve,
  signal: AbortSignal,
  prefetched: Prefetched | undefined,
): Promise<Response> {
  // HTTP/1.0 allows it, but whom such a request was meant for cannot be checked.
  if (message.headers.host === undefined) return refusal(400, 'The request does not name its host. Send a Host header.')
  const request = requestOf(message, signal)
  if (request === undefined) return refusal(400, 'Bad Request')
  const authorization = message.headers.authorization ?? null
  const readBody = bodyOfMessage(message)
  return serve({ request, authorization, readBody, ...(prefetched !== undefined && { prefetched }) }, message.socket)
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

async function write(response: Response, reply: ServerResponse, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return response.body?.cancel()
  const headers = Object.fromEntries(response.headers)
  if (headers['content-type']?.startsWith('text/event-stream')) {
    reply.writeHead(response.status, headers)
    return stream(response, reply, gone)
  }
  // Head and body in one write cost half of two writes.
  const text = restoreNumbers(await response.text())
  reply.writeHead(response.status, { ...headers, 'content-length': Buffer.byteLength(text) })
  reply.end(text)
}

async function stream({ body }: Response, reply: ServerResponse, gone: AbortSignal): Promise<void> {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  gone.addEventListener('abort', () => reader.cancel().catch(() => {}), { once: true })
  // The client waits for the head. It leaves at once, together with events that are ready.
  const flush = setImmediate(() => reply.flushHeaders())
  for (;;) {
    const { value } = await reader.read()
    clearImmediate(flush)
    if (value === undefined) break
    if (!reply.write(restoreNumbersIn(value))) await drained(reply, gone)
  }
  reply.end()
}

/** Resolves when the client has read what it was sent, or has disconnected. */
function drained(reply: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) return resolve()
    const done = () => {
      reply.off('drain', done)
      gone.removeEventListener('abort', done)
      resolve()
    }
    reply.on('drain', done)
    gone.addEventListener('abort', done)
  })
}
