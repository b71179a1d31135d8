import type { Clock } from '../../../base/clock.ts'
import type { HttpSettings, UpstreamSurroundings } from '../options.ts'
import type { Credential, UpstreamRequest } from '../upstream.ts'
import { nameHeader } from '../wire/header-values.ts'
import { Exchange, type ExchangeListener, type Outgoing, type Road } from './exchange.ts'
import { Lingering } from './lingering.ts'
import { connectionsTo } from './pool.ts'

const common = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream']

/** The way to one address: its connections, and the headers each request to it carries. */
export class HttpWay {
  readonly clock: Clock
  readonly surroundings: UpstreamSurroundings
  readonly lingering: Lingering
  readonly #road: Road
  readonly #headers: string[]

  constructor({ url, headers = {} }: HttpSettings, surroundings: UpstreamSurroundings) {
    this.clock = surroundings.clock
    this.surroundings = surroundings
    this.lingering = new Lingering(surroundings.clock)
    this.#road = {
      connections: connectionsTo(url.origin, surroundings.limits.connect),
      path: `${url.pathname}${url.search}`,
      limit: surroundings.limits.messageBytes,
      lingering: this.lingering,
    }
    this.#headers = [...common, ...Object.entries(headers).flat()]
  }

  send(outgoing: Outgoing, listener: ExchangeListener): Exchange {
    return new Exchange(this.#road, outgoing, listener)
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
    await this.#road.connections.destroy()
  }
}
