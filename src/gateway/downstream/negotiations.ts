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
        revision: cut(version),
        capabilities: namesOf(declared ?? {}),
      })
    },
    upstream(server, { revision, capabilities, serverInfo = {} }) {
      if (news === undefined) return
      tell({
        kind: 'negotiated',
        side: 'upstream',
        server,
        ...namesIn(serverInfo),
        revision: cut(revision),
        capabilities: namesOf(capabilities),
      })
    },
  }
}

/** What the other side says may be very long, and is remembered. */
const longest = 200
const mostNames = 50

const cut = (text: string) => text.slice(0, longest)

function namesOf(capabilities: JsonObject): string[] {
  return Object.keys(capabilities).sort().slice(0, mostNames).map(cut)
}

function namesIn({
  name,
  version,
}: JsonObject | { name: unknown; version: unknown }): Pick<Negotiated, 'name' | 'version'> {
  return {
    ...(typeof name === 'string' && { name: cut(name) }),
    ...(typeof version === 'string' && { version: cut(version) }),
  }
}
