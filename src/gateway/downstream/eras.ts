import { localRequester } from '../../participant/requester.ts'
import type { UpstreamServer } from '../options.ts'
import type { DownstreamClient, UpstreamEra } from '../upstream/upstream.ts'
import type { Negotiations } from './negotiations.ts'

/** What upstreams speak, for the greeting of clients. Undefined where it is not known now: one may come up later. */
export type FindEras = (server: readonly UpstreamServer[]) => Promise<(UpstreamEra | undefined)[]>

const client: DownstreamClient = { requester: { ...localRequester, client: 'gateway' }, capabilities: {} }

/** One that is slow or down is waited for once: whoever comes later is not held up by it. */
export function findEras(
  patienceMs: number,
  negotiations: Negotiations,
  /** Whether it runs with a requester's own secret: without one it may well not start, and is not tried. */
  needsSecret: (server: UpstreamServer) => boolean,
): FindEras {
  const probing = new Map<string, Promise<UpstreamEra | undefined>>()
  const failed = new Set<string>()

  function probe({ id, upstream }: UpstreamServer): Promise<UpstreamEra | undefined> {
    const running = probing.get(id)
    if (running !== undefined) return running
    const began = upstream.era(client, new AbortController().signal).then((reply) => {
      probing.delete(id)
      if (reply.kind !== 'found') return undefined
      failed.delete(id)
      negotiations.upstream(id, reply.era)
      return reply.era
    })
    probing.set(id, began)
    return began
  }

  async function find(server: UpstreamServer): Promise<UpstreamEra | undefined> {
    if (needsSecret(server)) return undefined
    const found = probe(server)
    const era = await unlessLate(found, failed.has(server.id) ? 0 : patienceMs)
    if (era === undefined) failed.add(server.id)
    return era
  }

  return (server) => Promise.all(server.map(find))
}

function unlessLate<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ms)
    void work.then((value) => {
      clearTimeout(timer)
      resolve(value)
    })
  })
}
