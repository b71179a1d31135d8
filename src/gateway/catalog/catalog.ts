import type { ToolCall } from '../../approval/tool-call.ts'
import type { Clock } from '../../base/clock.ts'
import type { Events } from '../../base/events.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Budget } from '../../base/limits/budget.ts'
import { atMostEvery } from '../../base/repeat.ts'
import type { GatewayNews, LeftOut } from '../../call/news.ts'
import type { Caller } from '../../mcp/caller.ts'
import { codes } from '../../mcp/codes.ts'
import { type Requester, requesterKey } from '../../participant/requester.ts'
import type { UpstreamServer } from '../options.ts'
import { unlessCancelled } from '../upstream/unless-cancelled.ts'
import type { DownstreamClient, UpstreamError } from '../upstream/upstream.ts'
import {
  type FetchedList,
  fetchList,
  type KnownTool,
  type Listed,
  type ListKind,
  type ListLimits,
  type NoList,
} from './fetch-list.ts'

/** A tool whose definition is not known: decided about as the worst that it could be. */
export const unlistedTool = (name: string): KnownTool => ({
  item: { name },
  facts: { definition: `unlisted ${name}`, serverDefinition: 'unlisted' },
})

export type ListReply = Listed | NoList

/** Caches the lists of upstreams, for each requester apart: they may see different things. */
export interface Catalog {
  list(server: UpstreamServer, kind: ListKind, client: DownstreamClient, signal: AbortSignal): Promise<ListReply>
  /** A tool from a list that is at most some seconds old, unless its upstream announced a change. Undefined: no such tool. */
  tool(
    server: UpstreamServer,
    name: string,
    client: DownstreamClient,
    signal: AbortSignal,
  ): Promise<KnownTool | NoList | undefined>
  /** The same without a promise, if the tool is in the cached list. */
  knownTool(server: UpstreamServer, name: string, client: DownstreamClient): KnownTool | undefined
  /** Drops the cached lists of an upstream, for all requesters or for one. */
  forget(server: string, requester?: Requester): void
  /** What was left out of the lists of this upstream that were fetched last. */
  leftOut(server: string): readonly LeftOut[]
}

export interface CatalogOptions {
  readonly clock: Clock
  readonly listsMs: number
  readonly limits: ListLimits & {
    /** Bytes of memory for all cached lists. */
    readonly cachedListBytes: number
  }
  /** Memory for lists that are being read. */
  readonly messages: Budget
  readonly news?: Events<GatewayNews> | undefined
}

interface Kept {
  readonly server: string
  readonly since: number
  readonly until: number
  readonly listed: FetchedList
}

const most = 2_000
const longestMs = 60_000
/** Many upstreams allow no caching at all. Fetching the list again for each call would double the work. */
const believedMs = 5_000
/** The part of the cache that one upstream may take. */
const mostShare = 0.75
/** How many left out items of one list are told by name, and how often at most. */
const mostTold = 20
const tellMs = 1_000

export function createCatalog({ clock, listsMs, limits, messages, news }: CatalogOptions): Catalog {
  const kept = new Map<string, Kept>()
  const memory = new Map<string, number>()
  const leftOut = new Map<string, readonly LeftOut[]>()
  const tellable = new Map<string, () => boolean>()
  const fetching = new Map<string, Promise<Kept | NoList>>()
  let forgotten = 0

  function find(
    server: UpstreamServer,
    kind: ListKind,
    client: DownstreamClient,
    signal: AbortSignal,
    atLeastMs = 0,
  ): Promise<Kept | NoList> {
    const key = keyOf(server, kind, client)
    const known = fresh(key, atLeastMs)
    if (known !== undefined) return Promise.resolve(known)
    drop(key)
    let under = fetching.get(key)
    if (under === undefined) {
      const asOf = forgotten
      // Not aborted with its first requester: others may wait for it.
      under = fetchList({ server, kind, client, signal: AbortSignal.timeout(longestMs) }, limits, messages)
        .then((reply) => {
          tellLeftOut(server.id, kind, reply.leftOut)
          return reply.kind === 'listed' ? keep(key, server.id, reply, asOf) : reply
        })
        .finally(() => fetching.delete(key))
      fetching.set(key, under)
    }
    return unlessCancelled<Kept | NoList>(under, signal)
  }

  function fresh(key: string, atLeastMs: number): Kept | undefined {
    const known = kept.get(key)
    if (known === undefined) return undefined
    return clock.now().getTime() < Math.max(known.until, known.since + atLeastMs) ? known : undefined
  }

  function keep(key: string, server: string, listed: FetchedList, asOf: number): Kept {
    const since = clock.now().getTime()
    const made: Kept = { server, listed, since, until: since + Math.min(listed.ttlMs, listsMs) }
    // A list that was requested before `forget` may be out of date.
    if (asOf !== forgotten || !makeRoom(server, listed.memory)) return made
    drop(key)
    kept.set(key, made)
    memory.set(server, usedBy(server) + listed.memory)
    return made
  }

  function drop(key: string): void {
    const known = kept.get(key)
    if (known === undefined) return
    kept.delete(key)
    memory.set(known.server, usedBy(known.server) - known.listed.memory)
  }

  const usedBy = (server: string) => memory.get(server) ?? 0
  const used = () => [...memory.values()].reduce((sum, one) => sum + one, 0)

  /** Drops the oldest lists: those of the same upstream first, then those of the upstream that has most. */
  function makeRoom(server: string, bytes: number): boolean {
    const { cachedListBytes } = limits
    if (bytes > cachedListBytes * mostShare) return false
    while (usedBy(server) + bytes > cachedListBytes * mostShare) dropOldest(server)
    while (used() + bytes > cachedListBytes) dropOldest(largest())
    if (kept.size >= most) drop(kept.keys().next().value as string)
    return true
  }

  function largest(): string {
    const [[server] = ['']] = [...memory].sort(([, one], [, other]) => other - one)
    return server
  }

  function dropOldest(server: string): void {
    const [oldest] = [...kept].find(([, one]) => one.server === server) ?? []
    if (oldest !== undefined) drop(oldest)
  }

  /** Says which items are left out, when that has changed. */
  function tellLeftOut(server: string, kind: ListKind, now: readonly LeftOut[] | undefined): void {
    // A server that could not be asked has said nothing about its items.
    if (now === undefined) return
    const before = leftOut.get(server) ?? []
    const told = now.slice(0, mostTold)
    if (JSON.stringify(before.filter(({ list }) => list === kind)) === JSON.stringify(told)) return
    leftOut.set(server, [...before.filter(({ list }) => list !== kind), ...told])
    // A server that lists something else each time must not fill the log.
    const mayTell = tellable.get(server) ?? atMostEvery(tellMs, clock)
    tellable.set(server, mayTell)
    if (mayTell()) news?.tell({ kind: 'items-left-out', server, list: kind, count: now.length, items: told })
  }

  return {
    async list(server, kind, client, signal) {
      const found = await find(server, kind, client, signal)
      return 'kind' in found ? found : found.listed
    },
    async tool(server, name, client, signal) {
      const found = await find(server, 'tools', client, signal, believedMs)
      if ('kind' in found) return found
      // A missing tool may be new.
      return toolIn(found, name) ?? toolIn(await find(server, 'tools', client, signal), name)
    },
    knownTool: (server, name, client) => fresh(keyOf(server, 'tools', client), believedMs)?.listed.tools.get(name),
    forget(server, requester) {
      forgotten += 1
      const those = requester === undefined ? `${server}\n` : `${server}\n${requesterKey(requester)}\n`
      for (const key of [...kept.keys()]) if (key.startsWith(those)) drop(key)
      for (const key of [...fetching.keys()]) if (key.startsWith(those)) fetching.delete(key)
    },
    leftOut: (server) => leftOut.get(server) ?? [],
  }
}

function keyOf({ id }: UpstreamServer, kind: ListKind, { requester }: DownstreamClient): string {
  return `${id}\n${requesterKey(requester)}\n${kind}`
}

function toolIn(found: Kept | NoList, name: string): KnownTool | NoList | undefined {
  if ('kind' in found) return found
  const { tools, leftOut } = found.listed
  return tools.get(name) ?? refusalOf(leftOut.find((one) => one.name === name))
}

/** What the requester of a tool that was left out gets. */
function refusalOf(found: LeftOut | undefined): UpstreamError | undefined {
  if (found === undefined) return undefined
  const message = `The tool ${found.name} cannot be called: ${found.reason}. Whoever runs its server has to mend that.`
  return { kind: 'error', error: { code: codes.invalidParams, message } }
}

/** A request for a tool of an upstream, as a call that policy can decide about. */
export function upstreamCallOf(
  { requester, groups }: Pick<Caller, 'requester' | 'groups'>,
  server: UpstreamServer,
  { item, facts }: KnownTool,
  given: JsonObject,
): ToolCall {
  return {
    requester,
    groups,
    server: server.id,
    tool: String(item.name),
    arguments: given,
    trusted: server.trusted,
    ...facts,
  }
}
