import { type ServerClockOptions, type ServerClocks, serverClocks } from '../asking/context.ts'
import type { AssentForServers } from '../asking/needs.ts'
import { type Duration, milliseconds } from '../base/durations.ts'
import { BadArgument } from '../base/errors.ts'
import type { Events } from '../base/events.ts'
import { Budget } from '../base/limits/budget.ts'
import type { GatewayNews } from '../call/news.ts'
import type { ToolHints } from '../definition/tool-hints.ts'
import type { HttpOptions } from '../mcp/http/serve.ts'
import type { Quirk } from '../mcp/quirks.ts'
import type { Tracing } from './tracing.ts'
import { openUpstream } from './upstream/open.ts'
import {
  defaultUpstreamLimits,
  type HeldSessions,
  type UpstreamContext,
  type UpstreamLimits,
} from './upstream/options.ts'
import { ProcessSlots } from './upstream/stdio/process-slots.ts'
import type { Upstream } from './upstream/upstream.ts'

/** What `createGateway` takes. Only `assent` and `servers` have no default. */
export interface GatewayOptions {
  /** The Assent that decides, asks and remembers. */
  readonly assent: AssentForServers
  /** The MCP servers behind the gateway, by id: `[a-z0-9-]{1,32}`. A map keeps any order; where two have a resource, the first wins. */
  readonly servers: Readonly<Record<string, ServerOptions>> | ReadonlyMap<string, ServerOptions>
  /** The gateway's name towards clients and upstreams. Default: assent. */
  readonly name?: string
  /** The gateway's version towards clients and upstreams. Default: 0. */
  readonly version?: string
  /** How long things may take. */
  readonly clocks?: GatewayClockOptions
  /** How much may be waiting at once. Default: `GatewayLimits` has the numbers. */
  readonly limits?: GatewayLimits
  /** Limits towards each upstream. */
  readonly upstreamLimits?: Partial<UpstreamLimits>
  /** False: upstreams are told that nobody can be asked. Default: true. */
  readonly elicitation?: boolean
  /** What named clients do differently from what they declare, besides what is known of published clients. */
  readonly quirks?: readonly Quirk[]
  /** For clients without such a quirk: an answer to an approval that comes sooner counts for nothing. Default: none. */
  readonly unseenWithin?: Duration
  /** How a 2025-11-25 client is sent to a page: by a request during the call, or by the error -32042. Default: push. */
  readonly urlBy?: 'push' | 'error'
  /** Settings of the HTTP endpoints. */
  readonly http?: Omit<HttpOptions, 'clock' | 'login' | 'fastPath' | 'onListen' | 'onError' | 'shared'>
  /** Receives what goes wrong while serving, for the log. */
  readonly onError?: (error: unknown) => void
  /** Receives calls, changes of upstreams, and what was negotiated with either side. */
  readonly news?: Events<GatewayNews>
  /** Follows calls, for traces. Default: nothing is followed. */
  readonly tracing?: Tracing
}

/** One MCP server behind the gateway: a program, an address, or an `Upstream` of your own. */
export type ServerOptions = (ProgramOptions | AddressOptions | { readonly upstream: Upstream }) & {
  /** Believe what the server says about its own tools (annotations) when it makes a call less strict. Default: false. */
  readonly trusted?: boolean
  /** Tools that are neither listed nor called. Default: none. */
  readonly disabledTools?: readonly string[]
  /** New and changed tools are held back until an administrator has allowed them. Default: false. */
  readonly pin?: boolean
  /** What is true of tools in place of what the server says of them, by tool. It counts as if the server were trusted. */
  readonly annotations?: Readonly<Record<string, ToolHints>>
  /** `lazy`: `gateway.start()` leaves it alone, and the first request that needs it starts it. Default: started. */
  readonly start?: 'lazy'
  /** The provider whose account of the requester goes with each request. Default: none. */
  readonly provider?: string
  /** The provider is asked only once the server has answered 401. Default: from the first request on. */
  readonly account?: 'when-asked'
}

/** A program that speaks MCP on its standard input and output. */
export interface ProgramOptions {
  /** The program to run. */
  readonly command: string
  /** Its arguments. Default: none. */
  readonly args?: readonly string[]
  /** Environment variables for the program, besides the few that every program gets. */
  readonly env?: Readonly<Record<string, string>>
  /** The folder it runs in. Default: that of this process. */
  readonly cwd?: string
}

/** An address that speaks MCP over HTTP. */
export interface AddressOptions {
  /** Where the server answers MCP requests. */
  readonly url: string | URL
  /** Headers that go with every request. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface GatewayClockOptions extends ServerClockOptions {
  /** How long a person has to answer what an upstream asks. An upstream with less patience cancels by itself. Default: 10 minutes. */
  readonly upstreamAsk?: Duration
  /**
   * How long a call of a 2025 upstream is kept for a 2026 client that has not come back, such as while a person fills in
   * a form. Default: 10 minutes.
   */
  readonly park?: Duration
  /** How long a list of an upstream is cached, unless the upstream says otherwise. Default: 60 seconds. */
  readonly lists?: Duration
  /** How long a joined list waits for an upstream that has not answered yet, counted from its start. Default: 15 seconds. */
  readonly listFirst?: Duration
  /** How long a joined list waits for an upstream that is down. Default: 3 seconds. */
  readonly listDown?: Duration
  /** How long the preview of a call may take. Default: 5 seconds. */
  readonly preview?: Duration
}

export interface GatewayLimits {
  /** Calls of 2026 clients that wait for people at once, with a 2025 upstream behind them. Default: 2,000. */
  readonly parked?: number
  /** Questions in a minute that one upstream may put to one requester. Default: no limit. */
  readonly asksPerMinute?: number
  /** Bytes of memory for what all servers have sent and nobody has dealt with yet. Default: 128 MiB. */
  readonly serverBytes?: number
  /** The part of it that one server may take. Default: 32 MiB. */
  readonly serverBytesEach?: number
  /** Bytes of one list of a server, over all its pages. Default: 8 MiB. */
  readonly listBytes?: number
  /** Items of one list of a server, such as tools. Default: 10,000. */
  readonly listItems?: number
  /** Bytes of the definition of one tool. A longer one is left out of the list. Default: 256 KiB. */
  readonly toolBytes?: number
  /** Resources of one server that one client may be subscribed to. Default: 1,000. */
  readonly subscriptions?: number
  /** Bytes of memory for the lists that are cached for all requesters. Default: 64 MiB. */
  readonly cachedListBytes?: number
  /** Characters of a preview that are shown. Default: 4,000. */
  readonly previewCharacters?: number
}

/** The limits that apply unless others are given. */
export const defaultGatewayLimits = {
  parked: 2_000,
  serverBytes: 128 * 1024 * 1024,
  serverBytesEach: 32 * 1024 * 1024,
  listBytes: 8 * 1024 * 1024,
  listItems: 10_000,
  toolBytes: 256 * 1024,
  subscriptions: 1_000,
  cachedListBytes: 64 * 1024 * 1024,
  previewCharacters: 4_000,
} satisfies GatewayLimits

/** One server behind the gateway, opened. */
export interface UpstreamServer {
  readonly id: string
  readonly upstream: Upstream
  readonly trusted: boolean
  /** Tools that are neither listed nor called. */
  readonly disabledTools: ReadonlySet<string>
  /** New and changed tools are held back until an administrator has allowed them. */
  readonly isPinned: boolean
  readonly annotations: ReadonlyMap<string, ToolHints>
  /** Not started before a request needs it. */
  readonly isLazy: boolean
  /** The provider whose account goes with each request; undefined while the server has not asked for one. */
  readonly provider?: string | undefined
}

/** The options with their defaults; times in milliseconds. */
export interface GatewaySettings {
  readonly assent: AssentForServers
  readonly servers: readonly UpstreamServer[]
  readonly clocks: ServerClocks &
    Readonly<Record<'upstreamAsk' | 'park' | 'lists' | 'listFirst' | 'listDown' | 'preview', number>>
  readonly limits: GatewayLimits & typeof defaultGatewayLimits
  /** Memory for what servers have sent and nobody has dealt with yet, by the id of the server. */
  readonly messages: Budget
  /** How many JSON values a message or a list of a server may hold. */
  readonly messageValues: number
  readonly elicitation: boolean
  readonly onError?: (error: unknown) => void
  readonly news?: Events<GatewayNews>
  readonly tracing?: Tracing
}

/** `held` lets sessions with upstreams outlive this process. */
export function settingsFrom(options: GatewayOptions, held?: HeldSessions): GatewaySettings {
  const { clocks = {}, elicitation = true, onError, news, tracing } = options
  const assent = tracing === undefined ? options.assent : tracing.assent(options.assent)
  const limits = { ...defaultGatewayLimits, ...options.limits }
  const messages = new Budget(limits.serverBytes, limits.serverBytesEach)
  return {
    assent,
    servers: entriesOf(options.servers).map(openServer(options, messages, held)),
    clocks: {
      ...serverClocks(assent, clocks),
      upstreamAsk: milliseconds(clocks.upstreamAsk ?? '10m'),
      park: milliseconds(clocks.park ?? '10m'),
      lists: milliseconds(clocks.lists ?? '60s'),
      listFirst: milliseconds(clocks.listFirst ?? '15s'),
      listDown: milliseconds(clocks.listDown ?? '3s'),
      preview: milliseconds(clocks.preview ?? '5s'),
    },
    limits,
    messages,
    messageValues: options.upstreamLimits?.messageValues ?? defaultUpstreamLimits.messageValues,
    elicitation,
    ...(onError && { onError }),
    ...(news && { news }),
    ...(tracing && { tracing }),
  }
}

function entriesOf(servers: GatewayOptions['servers']): [string, ServerOptions][] {
  return servers instanceof Map ? [...servers] : Object.entries(servers)
}

function openServer(
  options: GatewayOptions,
  messages: Budget,
  held: HeldSessions | undefined,
): (entry: [string, ServerOptions]) => UpstreamServer {
  const { assent, name = 'assent', version = '0', upstreamLimits, news, tracing } = options
  const context: UpstreamContext = {
    clock: assent.clock,
    self: { name, version },
    limits: { ...defaultUpstreamLimits, ...upstreamLimits },
    slots: new ProcessSlots(),
    messages,
    ...(news && { news }),
    ...(held && { held }),
  }
  return ([
    id,
    { trusted = false, pin = false, annotations = {}, provider, account, start, disabledTools = [], ...where },
  ]) => {
    if (!/^[a-z0-9-]{1,32}$/.test(id)) {
      throw new BadArgument(`"${id}" cannot be the id of a server. Use 1 to 32 of a-z, 0-9 and "-".`)
    }
    let isAsked = account !== 'when-asked'
    const loginAsked = () => {
      isAsked = true
    }
    const upstream = upstreamOf(id, where as ServerOptions, context, loginAsked)
    return {
      id,
      upstream: tracing === undefined ? upstream : tracing.upstream(upstream),
      trusted,
      disabledTools: new Set(disabledTools),
      isPinned: pin,
      annotations: new Map(Object.entries(annotations)),
      isLazy: start === 'lazy',
      get provider() {
        return isAsked ? provider : undefined
      },
    }
  }
}

function upstreamOf(name: string, where: ServerOptions, context: UpstreamContext, loginAsked: () => void): Upstream {
  if ('upstream' in where) return where.upstream
  if ('url' in where) return openUpstream({ ...where, name, url: new URL(where.url), loginAsked }, context)
  return openUpstream({ ...where, name }, context)
}
