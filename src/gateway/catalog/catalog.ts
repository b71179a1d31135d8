import type { ToolCall } from '../../approval/tool-call.ts'
import type { Clock } from '../../base/clock.ts'
import type { Events } from '../../base/events.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Budget } from '../../base/limits/budget.ts'
import { atMostEvery } from '../../base/repeat.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { inBackground } from '../../base/under-way.ts'
import type { GatewayNews, LeftOut } from '../../call/news.ts'
import type { Held, ToolDefinitions } from '../../definition/definitions.ts'
import type { Caller } from '../../mcp/caller.ts'
import { codes } from '../../mcp/codes.ts'
import { type Requester, requesterKey } from '../../participant/requester.ts'
import type { UpstreamServer } from '../options.ts'
import { unlessCancelled } from '../upstream/unless-cancelled.ts'
import type { DownstreamClient, UpstreamError } from '../upstream/upstream.ts'
import { correctAnnotations } from './correct-annotations.ts'
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

/** A tool as operators see it: its name, and a digest that changes with its definition. */
export interface ListedTool {
  readonly name: string
  readonly definition: string
}

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
  /** The tools of this upstream in the list that was fetched last, whoever fetched it. Undefined: no list is cached. */
  listedTools(server: string): readonly ListedTool[] | undefined
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
  readonly definitions: Pick<ToolDefinitions, 'see'>
  /** Where an administrator allows tools that are held back, for messages. */
  readonly toolsPage: string
}

interface Kept {
  readonly server: string
  readonly since: number
  readonly until: number
  readonly listed: FetchedList
  /** Tools that are neither listed nor called until an administrator has allowed them, as of the last look. */
  held: ReadonlyMap<string, Held>
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

export function createCatalog(options: CatalogOptions): Catalog {
  const { clock, listsMs, limits, messages, news } = options
  const kept = new Map<string, Kept>()
  const memory = new Map<string, number>()
  const leftOut = new Map<string, readonly LeftOut[]>()
  const noted = new Map<string, string | undefined>()
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
        .then(async (reply) => {
          tellLeftOut(server.id, kind, reply.leftOut)
          if (reply.kind !== 'listed') return reply
          const held = kind === 'tools' ? await see(server, reply) : nothing
          return keep(key, server.id, reply, { asOf, held })
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

  /** What of a list of tools is held back. Where nothing can be, nobody waits for it to be noted. */
  async function see(server: UpstreamServer, { tools }: FetchedList): Promise<Kept['held']> {
    const [first] = tools.values()
    const said = first?.facts.serverDefinition
    // Where nothing can be held back, a list that says nothing new is not noted again.
    if (!server.isPinned && noted.get(server.id) === said) return nothing
    noted.set(server.id, said)
    const offered = [...tools.values()].map(({ item }) => ({ name: String(item.name), definition: item }))
    const seeing = options.definitions.see(server.id, offered, server.isPinned)
    if (server.isPinned) return seeing
    inBackground(seeing)
    return nothing
  }

  /** Somebody may have allowed what was held back, in any process. */
  async function lookAgain(server: UpstreamServer, found: Kept): Promise<void> {
    if (found.held.size > 0) found.held = await see(server, found.listed)
  }

  function keep(
    key: string,
    server: string,
    listed: FetchedList,
    { asOf, held }: { readonly asOf: number; readonly held: Kept['held'] },
  ): Kept {
    const since = clock.now().getTime()
    const made: Kept = { server, listed, held, since, until: since + Math.min(listed.ttlMs, listsMs) }
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

  async function toolOf(
    server: UpstreamServer,
    found: Kept | NoList,
    name: string,
  ): Promise<KnownTool | NoList | undefined> {
    const tool = toolIn(found, name)
    if (tool === undefined || 'kind' in tool || 'kind' in found) return tool
    if (found.held.has(name)) await lookAgain(server, found)
    const why = found.held.get(name)
    return why === undefined ? corrected(server, tool) : heldRefusal(server.id, name, why, options.toolsPage)
  }

  return {
    async list(server, kind, client, signal) {
      const found = await find(server, kind, client, signal)
      if ('kind' in found) return found
      await lookAgain(server, found)
      const { held, listed } = found
      if (kind !== 'tools' || (held.size === 0 && server.annotations.size === 0)) return listed
      const tools = [...listed.tools.values()].filter(({ item }) => !held.has(String(item.name)))
      return { ...listed, items: tools.map((tool) => corrected(server, tool).item) }
    },
    async tool(server, name, client, signal) {
      const found = await find(server, 'tools', client, signal, believedMs)
      if ('kind' in found) return found
      // A missing tool may be new.
      return (await toolOf(server, found, name)) ?? toolOf(server, await find(server, 'tools', client, signal), name)
    },
    knownTool(server, name, client) {
      const known = fresh(keyOf(server, 'tools', client), believedMs)
      const tool = known?.listed.tools.get(name)
      return tool === undefined || known?.held.has(name) === true ? undefined : corrected(server, tool)
    },
    forget(server, requester) {
      forgotten += 1
      const those = requester === undefined ? `${server}\n` : `${server}\n${requesterKey(requester)}\n`
      for (const key of [...kept.keys()]) if (key.startsWith(those)) drop(key)
      for (const key of [...fetching.keys()]) if (key.startsWith(those)) fetching.delete(key)
    },
    listedTools(server) {
      const lists = [...kept].filter(([key, one]) => one.server === server && key.endsWith('\ntools'))
      const latest = lists.sort(([, one], [, other]) => other.since - one.since)[0]?.[1].listed.tools
      return latest && [...latest].map(([name, { facts }]) => ({ name, definition: facts.definition }))
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

const nothing: Kept['held'] = new Map()

const corrected = ({ annotations, trusted }: UpstreamServer, tool: KnownTool) =>
  annotations.size === 0 ? tool : correctAnnotations(tool, annotations.get(String(tool.item.name)), trusted)

const heldBecause: Readonly<Record<Held, string>> = {
  new: 'nobody has allowed it yet',
  changed: 'its definition has changed since it was allowed',
}

/** What the requester of a tool that is held back gets. */
function heldRefusal(server: string, tool: string, why: Held, page: string): UpstreamError {
  const name = visibleLine(tool, 60)
  const message = `The tool ${name} of ${server} is held back: ${heldBecause[why]}. An administrator can look at it and allow it at ${page} or with: assent tools allow ${server} ${name}. Tell the person; do not try again unless they ask for it.`
  return { kind: 'error', error: { code: codes.invalidParams, message } }
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
