import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

const mostRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])
/** Not sent to another origin that a redirect names. */
const secret = ['authorization', 'cookie', 'proxy-authorization']

/**
 * `fetch` for a command that makes a few requests and ends. Node's own loads and starts a whole HTTP client, which takes
 * longer than all of these requests.
 */
export async function lightFetch(address: string | URL, init: RequestInit = {}): Promise<Response> {
  let url = new URL(address)
  let method = init.method ?? 'GET'
  let body = textOf(init.body)
  const headers = new Headers(init.headers)
  if (!headers.has('user-agent')) headers.set('user-agent', 'assent')
  headers.set('accept-encoding', 'identity')
  for (let left = mostRedirects; ; left--) {
    const reply = await send(url, { method, headers: Object.fromEntries(headers), signal: init.signal, body })
    const { statusCode: status = 0 } = reply
    const { location } = reply.headers
    if (!redirects.has(status) || location === undefined || init.redirect === 'manual') return responseFrom(reply)

    reply.resume()
    if (left === 0 || init.redirect === 'error') throw new TypeError('fetch failed: this is one redirect too many')
    const next = new URL(location, url)
    if (next.origin !== url.origin) for (const name of secret) headers.delete(name)
    // The request is made again only where the server says that it did nothing.
    if (status < 307) {
      method = 'GET'
      body = undefined
      headers.delete('content-type')
    }
    url = next
  }
}

interface Sent {
  readonly method: string
  readonly headers: Record<string, string>
  readonly signal: AbortSignal | null | undefined
  readonly body: string | undefined
}

async function send(url: URL, { body, signal, ...options }: Sent): Promise<IncomingMessage> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, ...(signal && { signal }) }, resolve)
    sent.on('error', (cause) => reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause })))
    sent.end(body)
  })
}

function textOf(body: RequestInit['body']): string | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string') return body
  throw new TypeError('Only text can be sent.')
}

/** Statuses whose responses have no body. */
const empty = new Set([204, 205, 304])

async function responseFrom(reply: IncomingMessage): Promise<Response> {
  const { statusCode: status = 0, statusMessage = '', rawHeaders } = reply
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  const head = { status, statusText: statusMessage, headers }
  if (empty.has(status)) {
    reply.resume()
    return new Response(null, head)
  }
  const content = await decoded(reply)
  // Read here, because a web stream costs more than most of what is answered.
  if (!isStream(headers)) return new Response(await allOf(content), head)
  return new Response(Readable.toWeb(content) as ReadableStream<Uint8Array>, head)
}

const isStream = (headers: Headers) => headers.get('content-type')?.toLowerCase().includes('event-stream') === true

async function allOf(content: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** What a server sends that compresses although it was asked not to. */
async function decoded(reply: IncomingMessage): Promise<Readable> {
  const coding = reply.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (coding === 'identity') return reply
  const { createBrotliDecompress, createUnzip } = await import('node:zlib')
  const decoder = coding === 'br' ? createBrotliDecompress() : createUnzip()
  reply.on('error', (error) => decoder.destroy(error))
  return reply.pipe(decoder)
}
