import type { Clock } from '../../../base/clock.ts'
import type { HttpSettings, UpstreamContext } from '../options.ts'
import type { Credential, UpstreamRequest } from '../upstream.ts'
import { nameHeader } from '../wire/header-values.ts'
import { Exchange, type ExchangeListener, type HttpTarget, type Outgoing } from './exchange.ts'
import { Lingering } from './lingering.ts'
import { connectionsTo } from './pool.ts'

const common = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream']

/** The way to one address: its connections, and the headers each request to it carries. */
export class HttpTransport {
  readonly clock: Clock
  readonly context: UpstreamContext
  readonly lingering: Lingering
  readonly #target: HttpTarget
  readonly #headers: string[]

  constructor({ url, headers = {} }: HttpSettings, context: UpstreamContext) {
    this.clock = context.clock
    this.context = context
    this.lingering = new Lingering(context.clock)
    this.#target = {
      connections: connectionsTo(url.origin, context.limits.connect),
      path: `${url.pathname}${url.search}`,
      limit: context.limits.messageBytes,
      lingering: this.lingering,
    }
    this.#headers = [...common, ...Object.entries(headers).flat()]
  }

  send(outgoing: Outgoing, listener: ExchangeListener): Exchange {
    return new Exchange(this.#target, outgoing, listener)
  }

  /** The headers of every request; a credential is put on this one only. */
  headers(revision: string | undefined, credential: Credential | undefined): string[] {
    const headers = this.#headers.slice()
    if (revision !== undefined) headers.push('mcp-protocol-version', revision)
    if (credential === undefined || !('header' in credential)) return headers
    // Whatever the settings say for everybody gives way to what is this requester's own.
    const name = credential.header.toLowerCase()
    for (let at = common.length; at < headers.length; ) {
      if (headers[at]?.toLowerCase() === name) headers.splice(at, 2)
      else at += 2
    }
    headers.push(credential.header, credential.value)
    return headers
  }

  /** What 2026-07-28 wants repeated outside of the body (H26-03, H26-04). */
  perRequestHeaders(revision: string, { method, params, paramHeaders, credential }: UpstreamRequest): string[] {
    const headers = this.headers(revision, credential)
    headers.push('mcp-method', method)
    const name = nameHeader(method, params)
    if (name !== undefined) headers.push('mcp-name', name)
    if (paramHeaders !== undefined) for (const key in paramHeaders) headers.push(key, paramHeaders[key] ?? '')
    return headers
  }

  async close(): Promise<void> {
    this.lingering.close()
    await this.#target.connections.destroy()
  }
}
