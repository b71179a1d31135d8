import {
  serverDefinitionDigest,
  type ToolCall,
  type ToolDefinition,
  type ToolFacts,
  toolFacts,
} from '../../approval/tool-call.ts'
import type { Clock } from '../../base/clock.ts'
import { isPlainObject, type JsonObject, roundNumbers } from '../../base/json.ts'
import type { Caller } from '../../mcp/caller.ts'
import { type Requester, requesterKey } from '../../participant/requester.ts'
import type { UpstreamServer } from '../options.ts'
import { unlessCancelled } from '../upstream/unless-cancelled.ts'
import type { DownstreamClient, Lost, Unauthorized, UpstreamError } from '../upstream/upstream.ts'

/** The kinds of lists that MCP servers have. */
export type ListKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

export const listMethods: Readonly<Record<ListKind, string>> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
}

/** One complete list of one upstream. */
export interface Listed {
  readonly kind: 'listed'
  readonly items: readonly JsonObject[]
  /** How long the upstream says it may be cached, in milliseconds. */
  readonly ttlMs: number
  /** Whether it may differ between requesters. */
  readonly isPrivate: boolean
}

/** A tool of an upstream, and what a decision about its calls is based on. */
export interface KnownTool {
  /** As the upstream lists it. */
  readonly item: JsonObject
  readonly facts: ToolFacts
}

/** A tool whose definition is not known: decided about as the worst that it could be. */
export const unlistedTool = (name: string): KnownTool => ({
  item: { name },
  facts: { definition: `unlisted ${name}`, serverDefinition: 'unlisted' },
})

export type ListReply = Listed | UpstreamError | Unauthorized | Lost

/** Caches the lists of upstreams, for each requester apart: they may see different things. */
export interface Catalog {
  list(server: UpstreamServer, kind: ListKind, client: DownstreamClient, signal: AbortSignal): Promise<ListReply>
  /** A tool from a list that is at most some seconds old, unless its upstream announced a change. Undefined: no such tool. */
  tool(
    server: UpstreamServer,
    name: string,
    client: DownstreamClient,
    signal: AbortSignal,
  ): Promise<KnownTool | Exclude<ListReply, Listed> | undefined>
  /** Drops the cached lists of an upstream, for all requesters or for one. */
  forget(server: string, requester?: Requester): void
}

interface Kept {
  readonly since: number
  readonly until: number
  readonly listed: Listed
  tools?: ReadonlyMap<string, KnownTool>
}

const most = 2_000
const mostPages = 100
const longestMs = 60_000
/** Many upstreams allow no caching at all. Fetching the list again for each call would double the work. */
const believedMs = 5_000

export function createCatalog({ clock, listsMs }: { clock: Clock; listsMs: number }): Catalog {
  const kept = new Map<string, Kept>()
  const fetching = new Map<string, Promise<Kept | Exclude<ListReply, Listed>>>()
  let forgotten = 0

  function find(
    server: UpstreamServer,
    kind: ListKind,
    client: DownstreamClient,
    signal: AbortSignal,
    atLeastMs = 0,
  ): Promise<Kept | Exclude<ListReply, Listed>> {
    const key = `${server.id}\n${requesterKey(client.requester)}\n${kind}`
    const known = kept.get(key)
    const now = clock.now().getTime()
    if (known !== undefined && now < Math.max(known.until, known.since + atLeastMs)) return Promise.resolve(known)
    kept.delete(key)
    let under = fetching.get(key)
    if (under === undefined) {
      const asOf = forgotten
      // Not aborted with its first requester: others may wait for it.
      under = fetchAll(server, kind, client, AbortSignal.timeout(longestMs))
        .then((reply) => (reply.kind === 'listed' ? keep(key, reply, asOf) : reply))
        .finally(() => fetching.delete(key))
      fetching.set(key, under)
    }
    return unlessCancelled<Kept | Exclude<ListReply, Listed>>(under, signal)
  }

  function keep(key: string, listed: Listed, asOf: number): Kept {
    const since = clock.now().getTime()
    const made: Kept = { listed, since, until: since + Math.min(listed.ttlMs, listsMs) }
    // A list that was requested before `forget` may be out of date.
    if (asOf === forgotten) kept.set(key, made)
    if (kept.size > most) kept.delete(kept.keys().next().value as string)
    return made
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
    forget(server, requester) {
      forgotten += 1
      const those = requester === undefined ? `${server}\n` : `${server}\n${requesterKey(requester)}\n`
      for (const all of [kept, fetching]) {
        for (const key of [...all.keys()]) if (key.startsWith(those)) all.delete(key)
      }
    },
  }
}

function toolIn(found: Kept | Exclude<ListReply, Listed>, name: string) {
  if ('kind' in found) return found
  found.tools ??= toolsIn(found.listed)
  return found.tools.get(name)
}

function toolsIn({ items }: Listed): ReadonlyMap<string, KnownTool> {
  const definitions = roundNumbers(items) as unknown as ToolDefinition[]
  const serverDefinition = serverDefinitionDigest(definitions)
  return new Map(
    items.map((item, at) => [
      String(item.name),
      { item, facts: toolFacts(definitions[at] as ToolDefinition, serverDefinition) },
    ]),
  )
}

async function fetchAll(
  { upstream }: UpstreamServer,
  kind: ListKind,
  client: DownstreamClient,
  signal: AbortSignal,
): Promise<ListReply> {
  const items: JsonObject[] = []
  let ttlMs = Number.POSITIVE_INFINITY
  let isPrivate = false
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const reply = await upstream.request({ ...client, method: listMethods[kind], params, signal })
    if (reply.kind !== 'result') return reply
    const { result } = reply
    const found = result[kind]
    if (Array.isArray(found)) items.push(...(found.filter(isPlainObject) as JsonObject[]))
    if (typeof result.ttlMs === 'number') ttlMs = Math.min(ttlMs, result.ttlMs)
    // Private unless the upstream says otherwise.
    isPrivate ||= result.cacheScope !== 'public'
    if (typeof result.nextCursor !== 'string' || result.nextCursor === cursor) break
    cursor = result.nextCursor
  }
  return { kind: 'listed', items, ttlMs, isPrivate }
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
