import { milliseconds } from '../../base/durations.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { ConsoleSources, ServerView, WebOptions } from '../../web/index.ts'
import type { Config } from '../config/config.ts'

/** The settings of the file as options of the pages. */
export function webOptions({ auth, clocks, limits, trustedProxies, servers }: Config): WebOptions {
  return {
    signIn: clocks.signIn,
    trustedProxies,
    limits: {
      perAddressPerMinute: limits.pagesPerAddress,
      perPersonPerMinute: limits.pagesPerPerson,
      perTokenPerMinute: limits.apiPerMinute,
      tokensPerPerson: limits.tokensPerPerson,
      pushesPerPerson: limits.pushesPerPerson,
    },
    pinned: [...servers.values()].flatMap(({ id, isPinned }) => (isPinned === true ? [id] : [])),
    ...(auth?.admins !== undefined && { admins: auth.admins }),
    ...(auth?.proxy !== undefined && { proxy: { ...auth.proxy, issuer: auth.issuer } }),
  }
}

/** What the console shows of the gateway of this process. */
export function consoleSources(
  gateway: Pick<Gateway, 'upstreams' | 'instance'>,
  { servers, clocks }: Pick<Config, 'servers' | 'clocks'>,
): ConsoleSources {
  return {
    servers: () => gateway.upstreams().map((upstream) => viewOf(upstream, servers.get(upstream.id)?.provider)),
    instance: gateway.instance,
    skewMs: milliseconds(clocks.skew),
    isTrusted: (server) => servers.get(server)?.trusted ?? false,
    async readDraft(text) {
      const [{ documentFrom }, { draftIn }] = await Promise.all([
        import('../config/document.ts'),
        import('../policy/draft.ts'),
      ])
      return draftIn(documentFrom('draft', text))
    },
  }
}

function viewOf(
  { id, state, leftOut, tools }: ReturnType<Gateway['upstreams']>[number],
  provider: string | undefined,
): ServerView {
  const { kind, since, restarts, open, inFlight, revision, reason, stderr } = state
  const lastLine = stderr.at(-1)
  return {
    id,
    state: kind,
    since,
    restarts,
    open,
    inFlight,
    leftOut,
    ...(revision !== undefined && { revision }),
    ...(reason !== undefined && { reason }),
    ...(lastLine !== undefined && { lastLine }),
    ...(provider !== undefined && { provider }),
    ...(tools !== undefined && { tools }),
  }
}
