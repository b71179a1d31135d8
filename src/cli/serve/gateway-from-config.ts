import type { Assent } from '../../assent.ts'
import type { Events } from '../../base/events.ts'
import type { GatewayNews } from '../../call/news.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { UpstreamServer } from '../../gateway/options.ts'
import type { UpstreamSettings } from '../../gateway/upstream/options.ts'
import type { Config } from '../config/config.ts'
import type { ServerConfig } from '../config/read/servers.ts'
import { version } from '../version.ts'

/** How the gateway introduces itself on both sides. */
const self = { name: 'assent', version }

/** The gateway in front of the servers that the settings name. Nothing is started before it is needed. */
export async function gatewayFrom(
  assent: Assent,
  { servers, clocks, limits, elicitation }: Config,
  onError: (error: unknown) => void,
  news?: Events<GatewayNews>,
): Promise<Gateway> {
  const room = await import('../../gateway/index.ts')
  const upstreamContext = {
    clock: assent.clock,
    self,
    limits: { ...room.defaultUpstreamLimits, messageBytes: limits.bodyBytes, silence: clocks.upstreamSilence },
    slots: new room.ProcessSlots(),
    ...(news && { news }),
  }
  const upstreamServers = [...servers.values()].map(
    (server): UpstreamServer => ({
      id: server.id,
      upstream: room.openUpstream(settingsOf(server), upstreamContext),
      trusted: server.trusted,
      ...(server.provider !== undefined && { provider: server.provider }),
    }),
  )
  return room.createGateway({
    ...self,
    assent,
    servers: upstreamServers,
    clocks: { ...room.defaultGatewayClocks, upstreamAsk: clocks.upstreamAsk, park: clocks.park },
    limits: { ...room.defaultGatewayLimits, asksPerMinute: limits.asksPerMinute },
    elicitation: elicitation.enabled,
    asking: { question: clocks.question, hold: clocks.hold, state: clocks.state, track: clocks.track },
    http: { limits: { bodyBytes: limits.bodyBytes } },
    onError,
    ...(news && { news }),
  })
}

function settingsOf(server: ServerConfig): UpstreamSettings {
  if (server.kind === 'http') return { name: server.id, url: new URL(server.url), headers: server.headers }
  const { id, command, args, env, cwd } = server
  return { name: id, command, args, env, cwd }
}
