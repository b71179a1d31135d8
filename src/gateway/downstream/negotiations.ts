import type { Events } from '../../base/events.ts'
import type { JsonObject } from '../../base/json.ts'
import type { GatewayNews, Negotiated } from '../../call/news.ts'
import type { Caller } from '../../mcp/caller.ts'
import type { UpstreamEra } from '../upstream/upstream.ts'

/** Reports what was negotiated with clients and upstreams, when it is new. */
export interface Negotiations {
  client(caller: Pick<Caller, 'clientInfo' | 'declared' | 'version'>): void
  upstream(server: string, era: UpstreamEra): void
}

/** How many reports are remembered. Clients may come under any number of names. */
const most = 200

export function createNegotiations(news: Events<GatewayNews> | undefined): Negotiations {
  const told = new Set<string>()

  function tell(negotiated: Negotiated): void {
    const key = JSON.stringify(negotiated)
    if (told.has(key)) return
    if (told.size >= most) told.clear()
    told.add(key)
    news?.tell(negotiated)
  }

  return {
    client({ clientInfo, declared, version = 'unknown' }) {
      // 2026 clients negotiate with each request, so this must be cheap when nobody listens.
      if (news === undefined) return
      tell({
        kind: 'negotiated',
        side: 'client',
        ...namesIn({ name: clientInfo?.name, version: clientInfo?.version }),
        revision: version,
        capabilities: Object.keys(declared ?? {}).sort(),
      })
    },
    upstream(server, { revision, capabilities, serverInfo = {} }) {
      if (news === undefined) return
      tell({
        kind: 'negotiated',
        side: 'upstream',
        server,
        ...namesIn(serverInfo),
        revision,
        capabilities: Object.keys(capabilities).sort(),
      })
    },
  }
}

function namesIn({
  name,
  version,
}: JsonObject | { name: unknown; version: unknown }): Pick<Negotiated, 'name' | 'version'> {
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof version === 'string' && { version }),
  }
}
