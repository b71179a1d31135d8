import { localRequester } from '../../participant/requester.ts'
import type { GatewayContext } from '../context.ts'
import type { UpstreamServer } from '../options.ts'
import type { DownstreamClient, UpstreamEra } from '../upstream/upstream.ts'

/** What upstreams speak, for `initialize` and `server/discover`. Undefined for one that is not known now. */
export type FindEras = (servers: readonly UpstreamServer[], patienceMs?: number) => Promise<(UpstreamEra | undefined)[]>

const client: DownstreamClient = { requester: { ...localRequester, client: 'gateway' }, capabilities: {} }

/** Probes upstreams. A slow one, or one that is down, is waited for once: later clients are not held up by it. */
export function findEras({ settings, negotiations }: GatewayContext): FindEras {
  const { providers } = settings.assent.connections
  const probing = new Map<string, Promise<UpstreamEra | undefined>>()
  const failed = new Set<string>()

  function probe({ id, upstream }: UpstreamServer): Promise<UpstreamEra | undefined> {
    const running = probing.get(id)
    if (running !== undefined) return running
    const began = upstream
      .era(client, new AbortController().signal)
      .finally(() => probing.delete(id))
      .then((reply) => {
        if (reply.kind !== 'found') return undefined
        failed.delete(id)
        negotiations.upstream(id, reply.era)
        return reply.era
      })
    probing.set(id, began)
    return began
  }

  async function find(server: UpstreamServer, patienceMs: number): Promise<UpstreamEra | undefined> {
    // A program that needs a requester's secret in its environment may not start without it, so it is not tried.
    if (providers.get(server.provider ?? '')?.sending.env !== undefined) return undefined
    const era = await unlessLate(probe(server), failed.has(server.id) ? 0 : patienceMs)
    if (era === undefined) failed.add(server.id)
    return era
  }

  return (servers, patienceMs = settings.clocks.listDown) =>
    Promise.all(servers.map((server) => find(server, patienceMs)))
}

function unlessLate<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ms)
    const end = (value: T | undefined) => {
      clearTimeout(timer)
      resolve(value)
    }
    work.then(end, () => end(undefined))
  })
}
