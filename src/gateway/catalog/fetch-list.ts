import {
  definitionDigest,
  serverDefinitionOf,
  type ToolDefinition,
  type ToolFacts,
  toolFacts,
} from '../../approval/tool-call.ts'
import { BadArgument } from '../../base/errors.ts'
import { ExactNumber, isPlainObject, type JsonObject, roundNumbers } from '../../base/json.ts'
import type { Budget, Lease } from '../../base/limits/budget.ts'
import { memoryOf } from '../../base/limits/json-values.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { LeftOut } from '../../call/news.ts'
import type { UpstreamServer } from '../options.ts'
import type { DownstreamClient, Lost, Unauthorized, UpstreamError, UpstreamResult } from '../upstream/upstream.ts'

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

/** A list as it was fetched. */
export interface FetchedList extends Listed {
  /** The tools by name, if it is the list of tools. */
  readonly tools: ReadonlyMap<string, KnownTool>
  readonly leftOut: readonly LeftOut[]
  /** The memory that it takes, in bytes. */
  readonly memory: number
}

/** A tool of an upstream, and what a decision about its calls is based on. */
export interface KnownTool {
  /** As the upstream lists it. */
  readonly item: JsonObject
  readonly facts: ToolFacts & { /** There where the administrator says what is true of it. */ readonly trusted?: true }
}

/** No list, and why. `leftOut` says so for the log, if the list is too large. */
export type NoList = (UpstreamError | Unauthorized | Lost) & { readonly leftOut?: readonly LeftOut[] }

/** How much of an upstream's lists is read. */
export interface ListLimits {
  /** Bytes of one list, over all its pages. */
  readonly listBytes: number
  /** Items of one list. */
  readonly listItems: number
  /** JSON values of one list, at any depth. */
  readonly listValues: number
  /** Bytes of one tool's definition. */
  readonly toolBytes: number
}

/** Whose list is fetched, and for whom. */
export interface Fetching {
  readonly server: UpstreamServer
  readonly kind: ListKind
  readonly client: DownstreamClient
  readonly signal: AbortSignal
}

const mostPages = 100
/** Deeper items could not be written as JSON again, and a tool that is has no digest. */
const deepest = 128
const longestName = 60

/** Reads a list page by page. Items that cannot be used are left out, each by itself; a list that is too large is not used. */
export async function fetchList(
  fetching: Fetching,
  limits: ListLimits,
  messages: Budget,
): Promise<FetchedList | NoList> {
  const { server, kind, client, signal } = fetching
  const pages = new Pages(fetching, limits, messages)
  try {
    let cursor: string | undefined
    for (let page = 0; page < mostPages; page += 1) {
      const params = cursor === undefined ? {} : { cursor }
      const reply = await server.upstream.request({ ...client, method: listMethods[kind], params, signal })
      if (reply.kind !== 'result') return reply
      const excess = pages.add(reply)
      if (excess !== undefined) return tooLarge(kind, excess)
      const { nextCursor } = reply.result
      if (typeof nextCursor !== 'string' || nextCursor === cursor) break
      cursor = nextCursor
    }
    return pages.whole()
  } finally {
    pages.release()
  }
}

function tooLarge(kind: ListKind, excess: string): NoList {
  const reason = `the list ${excess}`
  return { kind: 'lost', reason: 'too-long', sent: false, detail: reason, leftOut: [{ list: kind, reason }] }
}

/** The pages of one list that were read so far. */
class Pages {
  readonly #kind: ListKind
  readonly #limits: ListLimits
  readonly #reserve: (bytes: number) => Lease | undefined
  readonly #items: JsonObject[] = []
  readonly #tools: { readonly item: JsonObject; readonly definition: ToolDefinition; readonly digest: string }[] = []
  readonly #leftOut: LeftOut[] = []
  #ttlMs = Number.POSITIVE_INFINITY
  #isPrivate = false
  #length = 0
  #values = 0
  #memory = 0
  #lease: Lease | undefined

  constructor({ server, kind }: Fetching, limits: ListLimits, messages: Budget) {
    this.#kind = kind
    this.#limits = limits
    this.#reserve = (bytes) => messages.lease(server.id, bytes)
  }

  /** What the list has too much of with this page; undefined if it is within its limits. */
  add({ result, length = 0 }: UpstreamResult): string | undefined {
    const { listBytes, listItems, listValues } = this.#limits
    this.#length += length
    if (this.#length > listBytes) return `is longer than ${listBytes} bytes`
    this.#memory += memoryOf(result, length)
    if (!this.#hasRoom()) return 'needs more memory than is free for this server'
    const found = result[this.#kind]
    for (const item of Array.isArray(found) ? found : []) if (isPlainObject(item)) this.#addItem(item as JsonObject)
    if (this.#items.length + this.#leftOut.length > listItems) return `has more than ${listItems} items`
    if (this.#values > listValues) return `holds more than ${listValues} values`
    if (typeof result.ttlMs === 'number') this.#ttlMs = Math.min(this.#ttlMs, result.ttlMs)
    // Private unless the upstream says otherwise.
    this.#isPrivate ||= result.cacheScope !== 'public'
    return undefined
  }

  whole(): FetchedList {
    return {
      kind: 'listed',
      items: this.#items,
      ttlMs: this.#ttlMs,
      isPrivate: this.#isPrivate,
      tools: this.#knownTools(),
      leftOut: this.#leftOut,
      memory: this.#memory,
    }
  }

  release(): void {
    this.#lease?.release()
  }

  #hasRoom(): boolean {
    if (this.#lease !== undefined) return this.#lease.growTo(this.#memory)
    this.#lease = this.#reserve(this.#memory)
    return this.#lease !== undefined
  }

  #addItem(item: JsonObject): void {
    const reason = this.#faultOf(item)
    if (reason === undefined) this.#items.push(item)
    else this.#leftOut.push({ list: this.#kind, name: shownName(item), reason })
  }

  /** Why an item cannot be used. The digest of a tool that can is kept. */
  #faultOf(item: JsonObject): string | undefined {
    const { depth, values, length, isExact } = measured(item)
    this.#values += values
    if (depth > deepest) return `it is nested deeper than ${deepest} levels`
    if (this.#kind !== 'tools') return undefined
    if (typeof item.name !== 'string') return 'it has no name'
    if (length > this.#limits.toolBytes) return `its definition is longer than ${this.#limits.toolBytes} bytes`
    try {
      // Decisions read numbers, so they get them as `JSON.parse` gives them.
      const definition = (isExact ? roundNumbers(item) : item) as unknown as ToolDefinition
      this.#tools.push({ item, definition, digest: definitionDigest(definition) })
      return undefined
    } catch (error) {
      if (!(error instanceof BadArgument)) throw error
      return error.message
    }
  }

  #knownTools(): ReadonlyMap<string, KnownTool> {
    const serverDefinition = serverDefinitionOf(this.#tools.map(({ digest }) => digest))
    return new Map(
      this.#tools.map(({ item, definition, digest }) => [
        String(item.name),
        { item, facts: toolFacts(definition, serverDefinition, digest) },
      ]),
    )
  }
}

/** The name of an item for people. A copy: part of a text keeps the whole text in memory. */
function shownName({ name, uri }: JsonObject): string {
  return Buffer.from(visibleLine(String(name ?? uri ?? ''), longestName)).toString()
}

/**
 * How deep an item is, how many values it holds, about how long its text is, and whether it holds a number that a double
 * would change. Not recursive: it may be very deep.
 */
function measured(item: JsonObject): { depth: number; values: number; length: number; isExact: boolean } {
  let isExact = false
  let depth = 0
  let values = 0
  let length = 0
  for (let level: object[] = [item]; level.length > 0; depth += 1) {
    const next: object[] = []
    for (const one of level) {
      for (const [key, value] of Object.entries(one)) {
        values += 1
        length += key.length + (typeof value === 'string' ? value.length : 0) + 4
        if (typeof value !== 'object' || value === null) continue
        isExact ||= ExactNumber.is(value)
        next.push(value)
      }
    }
    level = next
  }
  return { depth, values, length, isExact }
}
