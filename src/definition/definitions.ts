import type { AuditLog } from '../audit/log.ts'
import { digest } from '../base/canonical.ts'
import type { Clock } from '../base/clock.ts'
import { BadArgument } from '../base/errors.ts'
import { createEvents, type Events } from '../base/events.ts'
import { atMostEvery } from '../base/repeat.ts'
import type { ParticipantId } from '../participant/participant.ts'
import type { DefinitionStore, KnownDefinition, Sighting } from './known-definition.ts'

/** A tool as its server offers it now: everything that the server says of it. */
export interface OfferedTool {
  readonly name: string
  readonly definition: object
}

/** Why a tool is held back: nobody has allowed it yet, or it is not what was allowed. */
export type Held = 'new' | 'changed'

/** What servers say of their tools, and what of it an administrator allowed. */
export interface ToolDefinitions {
  /** Tells of tools that were allowed in this process. */
  readonly events: Events<{ readonly server: string }>
  /** Notes what a server offers now. Returns what is held back if its definitions are pinned; nothing is, if not. */
  see(server: string, offered: readonly OfferedTool[], pinned: boolean): Promise<ReadonlyMap<string, Held>>
  /** Allows a definition by its digest. `changed`: the server offers something else by now, which must be looked at first. */
  allow(allowing: Allowing): Promise<'allowed' | 'changed' | 'unknown'>
  list(limit: number): Promise<KnownDefinition[]>
}

export interface Allowing {
  readonly server: string
  readonly tool: string
  /** The digest of the definition that was looked at. */
  readonly digest: string
  /** Absent: whoever uses the terminal of this installation. */
  readonly by?: ParticipantId
}

interface Parts {
  readonly store: DefinitionStore
  readonly audit: Pick<AuditLog, 'record'>
  readonly clock: Clock
}

/**
 * How many tools of one server are kept. Those that it offers no more, and nobody allowed, make way for others; where there
 * is no room, further ones stay held back where definitions are pinned.
 */
const mostTools = 2_000
const atOnce = 50
/** How often one tool's changes are kept. A server that says something else each time must not fill the store. */
const keepEveryMs = 10_000

export function createDefinitions({ store, audit, clock }: Parts): ToolDefinitions {
  const events = createEvents<{ readonly server: string }>()
  const keepable = new Map<string, () => boolean>()

  function mayKeep(server: string, tool: string): boolean {
    const key = keyOf(server, tool)
    const often = keepable.get(key) ?? atMostEvery(keepEveryMs, clock)
    keepable.set(key, often)
    return often()
  }

  /** The record after this sighting. Another process may have noted the same meanwhile. */
  async function note(server: string, tool: OfferedTool, known: KnownDefinition | undefined, pinned: boolean) {
    let now = known
    for (;;) {
      const next = noted(server, tool, now, clock.now())
      if (next === undefined) return now
      if (now !== undefined && !mayKeep(server, tool.name)) return now
      if (await store.saveIfUnchanged(next)) {
        const held = heldBack(next, next.seen.digest)
        const data = { server, tool: tool.name, definition: next.seen.digest, why: held ?? 'changed' }
        if (pinned && held !== undefined) await audit.record({ kind: 'tool-held', data })
        return next
      }
      now = await store.get(server, tool.name)
    }
  }

  /** How many tools that are not known yet may be kept. */
  async function roomFor(
    server: string,
    offered: readonly OfferedTool[],
    known: ReadonlyMap<string, KnownDefinition>,
  ): Promise<number> {
    const names = new Set(offered.map(({ name }) => name))
    const wanted = [...names].filter((name) => !known.has(name)).length
    const excess = known.size + wanted - mostTools
    if (wanted === 0 || excess <= 0) return wanted
    const leaving = [...known.values()]
      .filter(({ tool, allowed }) => allowed === undefined && !names.has(tool))
      .sort((one, other) => one.seen.at.getTime() - other.seen.at.getTime())
      .slice(0, excess)
    for (const { tool } of leaving) {
      await store.remove(server, tool)
      keepable.delete(keyOf(server, tool))
    }
    return Math.max(0, wanted - excess + leaving.length)
  }

  return {
    events,
    async see(server, offered, pinned) {
      const known = new Map((await store.list(server)).map((one) => [one.tool, one]))
      const held = new Map<string, Held>()
      let room = await roomFor(server, offered, known)
      for (let from = 0; from < offered.length; from += atOnce) {
        const some = offered.slice(from, from + atOnce)
        const noting = some.map(async (tool) => {
          const before = known.get(tool.name)
          if (before === undefined) room -= 1
          const isKept = before !== undefined || room >= 0
          const after = isKept ? await note(server, tool, before, pinned) : undefined
          const why = after === undefined ? 'new' : heldBack(after, digestOf(tool))
          if (why !== undefined) held.set(tool.name, why)
        })
        await Promise.all(noting)
      }
      return pinned ? held : new Map()
    },
    async allow({ server, tool, digest: looked, by }) {
      for (;;) {
        const known = await store.get(server, tool)
        if (known === undefined) return 'unknown'
        if (known.seen.digest !== looked) return 'changed'
        if (known.allowed?.digest === looked) return 'allowed'
        const allowed = { ...known.seen, at: clock.now() }
        const data = { server, tool, definition: looked, by: by === undefined ? 'terminal' : 'page' }
        await audit.record({ kind: 'tool-allowed', ...(by !== undefined && { who: by }), data })
        if (!(await store.saveIfUnchanged({ ...known, version: known.version + 1, allowed }))) continue
        events.tell({ server })
        return 'allowed'
      }
    },
    list: (limit) => store.listAll(limit),
  }
}

const keyOf = (server: string, tool: string) => JSON.stringify([server, tool])

/** Why a definition is held back, by what was allowed. */
export function heldBack({ allowed }: Pick<KnownDefinition, 'allowed'>, offered: string): Held | undefined {
  if (allowed === undefined) return 'new'
  return allowed.digest === offered ? undefined : 'changed'
}

/** Of everything that the server says: what a client gets, its model may read. */
function digestOf({ definition }: OfferedTool): string {
  const text = JSON.stringify(definition)
  try {
    return digest(['offered', JSON.parse(text)])
  } catch (error) {
    if (!(error instanceof BadArgument)) throw error
    // Half a surrogate pair, or a number that is too large: as JSON it has a digest all the same.
    return digest(['offered as written', text])
  }
}

function noted(
  server: string,
  tool: OfferedTool,
  known: KnownDefinition | undefined,
  at: Date,
): KnownDefinition | undefined {
  const seen: Sighting = { digest: digestOf(tool), definition: JSON.stringify(tool.definition), at }
  if (known === undefined) return { server, tool: tool.name, version: 1, firstSeen: at, changes: 0, seen }
  if (known.seen.digest === seen.digest) return undefined
  return { ...known, version: known.version + 1, changes: known.changes + 1, seen }
}
