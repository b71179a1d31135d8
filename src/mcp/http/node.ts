import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { bodyOfMessage, type ReadBody } from './body.ts'

/** One request at the door: its head, and a body that is read only when it is wanted. */
export interface Arrival {
  readonly request: Request
  readonly readBody: ReadBody
  /** The far end of the socket, where there is one to see. */
  readonly peer?: string | undefined
}

/** Serves node:http. A client that goes away aborts its request's signal; one that reads slowly is waited for. */
export function nodeListener(serve: (arrival: Arrival) => Promise<Response>): RequestListener {
  return (message, reply) => {
    const gone = new AbortController()
    reply.on('close', () => {
      if (!reply.writableFinished) gone.abort()
    })
    const arrival = {
      request: requestOf(message, gone.signal),
      readBody: bodyOfMessage(message),
      peer: message.socket.remoteAddress,
    }
    serve(arrival)
      .then((response) => write(response, reply, gone.signal))
      .catch(() => reply.destroy())
  }
}

function requestOf(message: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (let at = 0; at < message.rawHeaders.length; at += 2) {
    headers.append(message.rawHeaders[at] as string, message.rawHeaders[at + 1] as string)
  }
  // A host that cannot stand in a url is refused by the guard, which reads the header.
  const base = URL.canParse(`http://${message.headers.host}`) ? `http://${message.headers.host}` : 'http://localhost'
  return new Request(new URL(message.url ?? '/', base), { method: message.method ?? 'GET', headers, signal })
}

async function write(response: Response, reply: ServerResponse, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return response.body?.cancel()
  reply.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body === null) {
    reply.end()
    return
  }
  const reader = response.body.getReader()
  const giveUp = () => void reader.cancel().catch(() => {})
  gone.addEventListener('abort', giveUp, { once: true })
  for (;;) {
    const { value } = await reader.read()
    if (value === undefined) break
    if (!reply.write(value)) await drained(reply, gone)
  }
  reply.end()
}

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
