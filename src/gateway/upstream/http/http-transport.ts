import type { Clock } from '../../../base/clock.ts'
import type { HttpSettings, UpstreamContext } from '../options.ts'
import type { UpstreamCredential, UpstreamRequest } from '../upstream.ts'
import { nameHeader } from '../wire/header-values.ts'
import type { ReserveBytes } from '../wire/received-bytes.ts'
import { openConnectionPool } from './connection-pool.ts'
import { DrainingStreams } from './draining-streams.ts'
import { Exchange, type ExchangeListener, type HttpTarget, type Outgoing } from './exchange.ts'

const commonHeaders = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream']

/** Sends HTTP requests to one address, with the headers that each of them carries. */
export class HttpTransport {
  readonly clock: Clock
  readonly context: UpstreamContext
  readonly draining: DrainingStreams
  readonly reserve: ReserveBytes
  readonly #target: HttpTarget
  readonly #headers: string[]

  constructor({ name, url, headers = {} }: HttpSettings, context: UpstreamContext) {
    this.clock = context.clock
    this.context = context
    this.draining = new DrainingStreams(context.clock)
    this.reserve = (bytes) => context.messages.lease(name, bytes)
    this.#target = {
      pool: openConnectionPool(url.origin, context.limits.connect),
      path: `${url.pathname}${url.search}`,
      limit: context.limits.messageBytes,
      reserve: this.reserve,
      draining: this.draining,
    }
    this.#headers = [...commonHeaders, ...Object.entries(headers).flat()]
  }

  send(outgoing: Outgoing, listener: ExchangeListener): Exchange {
    return new Exchange(this.#target, outgoing, listener)
  }

  /** The headers of one request. The credential is never kept for another one. */
  headers(revision: string | undefined, credential: UpstreamCredential | undefined): string[] {
    const headers = this.#headers.slice()
    if (revision !== undefined) headers.push('mcp-protocol-version', revision)
    if (credential === undefined || !('header' in credential)) return headers
    // The requester's credential replaces a header of the same name from the settings.
    const name = credential.header.toLowerCase()
    for (let at = commonHeaders.length; at < headers.length; ) {
      if (headers[at]?.toLowerCase() === name) headers.splice(at, 2)
      else at += 2
    }
    headers.push(credential.header, credential.value)
    return headers
  }

  /** Adds the headers in which 2026-07-28 repeats parts of the body (H26-03, H26-04). */
  perRequestHeaders(revision: string, request: UpstreamRequest): string[] {
    const { method, params, paramHeaders, traceHeaders, credential } = request
    const headers = this.headers(revision, credential)
    headers.push('mcp-method', method)
    const name = nameHeader(method, params)
    if (name !== undefined) headers.push('mcp-name', name)
    if (paramHeaders !== undefined) for (const key in paramHeaders) headers.push(key, paramHeaders[key] ?? '')
    if (traceHeaders !== undefined) for (const key in traceHeaders) headers.push(key, traceHeaders[key] ?? '')
    return headers
  }

  async close(): Promise<void> {
    this.draining.close()
    await this.#target.pool.destroy()
  }
}
