import type { Assent } from '../../assent.ts'
import type { Events } from '../../base/events.ts'
import type { GatewayNews } from '../../call/news.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { GatewayLimits, ServerOptions } from '../../gateway/options.ts'
import type { Tracing } from '../../gateway/tracing.ts'
import type { HttpLimits } from '../../mcp/http/limits.ts'
import type { Config } from '../config/config.ts'
import type { ServerConfig } from '../config/read/servers.ts'
import { version } from '../version.ts'

/** How the gateway introduces itself on both sides. */
const self = { name: 'assent', version }

/** A gateway in front of the servers in the settings. `start` starts or reaches them. */
export async function gatewayFrom(
  assent: Assent,
  { servers, clocks, limits, elicitation, clients }: Config,
  onError: (error: unknown) => void,
  { news, tracing }: { news?: Events<GatewayNews>; tracing?: Tracing | undefined } = {},
): Promise<Gateway> {
  const { createGateway } = await import('../../gateway/gateway.ts')
  const { question, hold, state, track, upstreamAsk, park, listFirst, listDown, preview } = clocks
  return createGateway({
    ...self,
    assent,
    servers: new Map([...servers.values()].map((server) => [server.id, serverOptions(server)])),
    clocks: { question, hold, state, track, upstreamAsk, park, listFirst, listDown, preview },
    limits: gatewayLimits(limits),
    upstreamLimits: {
      messageBytes: limits.bodyBytes,
      messageValues: limits.messageValues,
      handshakeBytes: limits.handshakeBytes,
      silence: clocks.upstreamSilence,
    },
    elicitation: elicitation.enabled,
    urlBy: elicitation.urlBy,
    ...(elicitation.unseenWithin !== undefined && { unseenWithin: elicitation.unseenWithin }),
    quirks: clients,
    http: { limits: httpLimits(limits), bodyTime: clocks.body },
    onError,
    ...(news && { news }),
    ...(tracing && { tracing }),
  })
}

function gatewayLimits(limits: Config['limits']): GatewayLimits {
  const { asksPerMinute, serverBytes, serverBytesEach, listBytes, listItems } = limits
  const { toolBytes, cachedListBytes, subscriptions, previewCharacters } = limits
  return {
    asksPerMinute,
    serverBytes,
    serverBytesEach,
    listBytes,
    listItems,
    toolBytes,
    cachedListBytes,
    subscriptions,
    previewCharacters,
  }
}

function httpLimits(limits: Config['limits']): Partial<HttpLimits> {
  const { bodyBytes, messageValues, inFlightBytes, inFlightBytesPerRequester } = limits
  const { unreadBytes, unreadBytesPerRequester, sessions, sessionsPerOwner, initializeBytes, replayBytes } = limits
  return {
    bodyBytes,
    bodyValues: messageValues,
    inFlightBytes,
    inFlightBytesPerRequester,
    unreadBytes,
    unreadBytesPerRequester,
    sessions,
    sessionsPerOwner,
    initializeBytes,
    replayBytes,
  }
}

function serverOptions(server: ServerConfig): ServerOptions {
  const { trusted, provider, discovers = false, isLazy = false, disabledTools, isPinned, annotations } = server
  const common = {
    trusted,
    ...(disabledTools && { disabledTools }),
    ...(isPinned && { pin: true }),
    ...(annotations && { annotations }),
    ...(provider !== undefined && { provider }),
    ...(discovers && ({ account: 'when-asked' } as const)),
    ...(isLazy && ({ start: 'lazy' } as const)),
  }
  if (server.kind === 'http') return { ...common, url: server.url, headers: server.headers }
  const { command, args, env, cwd } = server
  return { ...common, command, args, env, cwd }
}
