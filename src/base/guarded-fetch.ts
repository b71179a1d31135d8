import { lookup as resolve } from 'node:dns'
import { type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

/**
 * How far a fetch may reach. `anywhere` is for addresses that the administrator wrote: private networks, and this
 * machine, where http will do. `internet` is for all others.
 */
export type Reach = 'anywhere' | 'internet'

export interface FetchGuard {
  readonly reach: Reach
  /** For all of it, from the look-up of the name to the last byte. Default: 5 s. */
  readonly timeoutMs?: number
  /** How long an answer may be. Default: 1 MiB. */
  readonly maxBytes?: number
  /** Is told which IP address answered. */
  readonly answeredBy?: (address: string) => void
  /** How names are looked up. Default: as the system does. */
  readonly lookup?: LookupFunction
}

/** What `fetch` takes, as far as it is needed. Redirects are never followed, whatever it says. */
export interface GuardedRequest {
  readonly method?: string
  readonly headers?: HeadersInit
  readonly body?: string | URLSearchParams | Uint8Array | null | undefined
  readonly signal?: AbortSignal | null | undefined
  readonly redirect?: string
}

export type GuardedFetch = (url: string | URL, request?: GuardedRequest) => Promise<Response>

export type FetchFailure = 'address_refused' | 'redirected' | 'too_large' | 'timed_out' | 'unreachable'

/** Nothing was fetched. The message names the origin at most: the rest of an address may hold secrets. */
export class FetchFailed extends Error {
  readonly reason: FetchFailure
  constructor(reason: FetchFailure, origin: string, cause?: unknown) {
    super(`${origin}: ${reason}`, cause === undefined ? undefined : { cause })
    this.name = 'FetchFailed'
    this.reason = reason
  }
}

type HeadersInit = Headers | Readonly<Record<string, string>>

/**
 * Fetches from addresses that others may have chosen. https only, but for http on this machine; the IP address that is
 * connected to is the one that was judged, so a name that changes its mind gains nothing.
 */
export function guardedFetch(guard: FetchGuard): GuardedFetch {
  const { reach, timeoutMs = 5_000, maxBytes = 1_048_576, answeredBy, lookup = resolve as LookupFunction } = guard

  return async (address, { method = 'GET', headers, body, signal } = {}) => {
    const url = new URL(address)
    const mayConnect = judgeOf(url, reach)
    const bytes = body === null || body === undefined ? undefined : Buffer.from(bytesOf(body))
    const timeout = AbortSignal.timeout(timeoutMs)

    try {
      const answer = await send()
      const { statusCode = 0, socket } = answer
      answeredBy?.(socket.remoteAddress ?? '')
      if (statusCode >= 300 && statusCode < 400 && statusCode !== 304) {
        answer.destroy()
        throw new FetchFailed('redirected', url.origin)
      }
      const content = await readAll(answer, maxBytes, url.origin)
      const isEmpty = statusCode === 204 || statusCode === 205 || statusCode === 304
      return new Response(isEmpty ? null : content, { status: statusCode, headers: headersOf(answer) })
    } catch (error) {
      if (error instanceof FetchFailed) throw error
      throw new FetchFailed(timeout.aborted ? 'timed_out' : 'unreachable', url.origin, error)
    }

    function send(): Promise<IncomingMessage> {
      return new Promise((answered, failed) => {
        const request = (url.protocol === 'https:' ? overHttps : overHttp)(url, {
          method,
          // A connection of its own: one that is kept open was judged for another request.
          agent: false,
          headers: {
            'user-agent': 'assent',
            ...Object.fromEntries(new Headers(headers as Record<string, string>)),
            'accept-encoding': 'identity',
            ...(bytes !== undefined && { 'content-length': String(bytes.length) }),
            ...(body instanceof URLSearchParams && {
              'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
            }),
          },
          lookup: judgingLookup(lookup, mayConnect, url.origin),
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        })
        request.on('response', answered)
        request.on('error', failed)
        request.end(bytes)
      })
    }
  }
}

/** Which IP addresses may be connected to for this url. Throws where none may. */
function judgeOf(url: URL, reach: Reach): (address: string) => boolean {
  const refused = new FetchFailed('address_refused', url.origin)
  if (url.username !== '' || url.password !== '') throw refused
  if (url.protocol !== 'https:' && (url.protocol !== 'http:' || reach !== 'anywhere')) throw refused

  const mayConnect = url.protocol === 'http:' ? isLoopbackAddress : reach === 'anywhere' ? () => true : isPublicAddress
  // An address that is written as numbers is not looked up.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !mayConnect(host)) throw refused
  return mayConnect
}

function judgingLookup(lookup: LookupFunction, mayConnect: (address: string) => boolean, origin: string) {
  const judging: LookupFunction = (hostname, options, found) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return found(error, '', 0)
      const all = Array.isArray(addresses) ? addresses : [{ address: addresses, family: isIP(addresses) }]
      const [first] = all
      // One bad address among good ones is a trap, not an accident.
      if (first === undefined || !all.every(({ address }) => mayConnect(address))) {
        return found(new FetchFailed('address_refused', origin), '', 0)
      }
      if (options.all) return found(null, all)
      return found(null, first.address, first.family)
    })
  }
  return judging
}

async function readAll(answer: IncomingMessage, maxBytes: number, origin: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) {
      answer.destroy()
      throw new FetchFailed('too_large', origin)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function headersOf(answer: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] as string, answer.rawHeaders[at + 1] as string)
  }
  return headers
}

const bytesOf = (body: string | URLSearchParams | Uint8Array) =>
  body instanceof Uint8Array ? body : Buffer.from(String(body))
