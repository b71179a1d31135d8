import type { Assent } from '../../assent.ts'
import { BadArgument } from '../../base/errors.ts'
import { isPlainObject } from '../../base/json.ts'
import { heldBack, type OfferedTool } from '../../definition/definitions.ts'
import type { KnownDefinition } from '../../definition/known-definition.ts'
import { localRequester } from '../../participant/requester.ts'
import type { Config } from '../config/config.ts'
import type { ServerConfig } from '../config/read/servers.ts'
import { openOnce } from '../doctor/open-once.ts'

/** One server as it answered now, and all that is known of its tools. */
export interface ReadServer {
  readonly server: ServerConfig
  readonly tools: readonly ReadTool[]
  /** Why it could not be asked: what follows is what it said before. */
  readonly problem?: string
}

export interface ReadTool {
  readonly known: KnownDefinition
  readonly held: 'new' | 'changed' | undefined
  /** Whether the server offers it now; undefined if it could not be asked. */
  readonly isOffered: boolean | undefined
}

const client = { requester: { ...localRequester, client: 'tools' }, capabilities: {} }
const patienceMs = 60_000
const mostPages = 100
const mostRead = 10_000

/** Asks servers for their tools, and notes what they say, as the gateway does. */
export async function readTools(assent: Assent, config: Config, only?: string): Promise<ReadServer[]> {
  const servers = [...config.servers.values()].filter(
    ({ id, name }) => only === undefined || only === id || only === name,
  )
  if (only !== undefined && servers.length === 0) {
    throw new BadArgument(`The settings name no server "${only}". See: assent tools`)
  }
  const answers = await Promise.all(
    servers.map(async (server) => {
      const offered = await offeredBy(server, config)
      if (Array.isArray(offered)) await assent.definitions.see(server.id, offered, server.isPinned === true)
      return { server, offered }
    }),
  )
  const all = await assent.definitions.list(mostRead)
  return answers.map(({ server, offered }) => {
    const names = Array.isArray(offered) ? new Set(offered.map(({ name }) => name)) : undefined
    const tools = all
      .filter((known) => known.server === server.id)
      .sort((one, other) => (one.tool < other.tool ? -1 : 1))
      .map((known) => ({
        known,
        held: server.isPinned === true ? heldBack(known, known.seen.digest) : undefined,
        isOffered: names?.has(known.tool),
      }))
    return { server, tools, ...(typeof offered === 'string' && { problem: offered }) }
  })
}

/** What a server offers, or why that is not known. */
async function offeredBy(server: ServerConfig, config: Config): Promise<OfferedTool[] | string> {
  const upstream = await openOnce(server, config)
  const found: OfferedTool[] = []
  try {
    let cursor: string | undefined
    for (let page = 0; page < mostPages; page += 1) {
      const params = cursor === undefined ? {} : { cursor }
      const signal = AbortSignal.timeout(patienceMs)
      const reply = await upstream.request({ ...client, method: 'tools/list', params, signal })
      if (reply.kind === 'unauthorized') return 'It wants an account, so only the gateway can list its tools.'
      if (reply.kind === 'lost') return `It could not be asked: ${reply.detail}`
      if (reply.kind === 'error') return found
      const { tools, nextCursor } = reply.result
      for (const tool of Array.isArray(tools) ? tools : []) {
        if (isPlainObject(tool) && typeof tool.name === 'string') found.push({ name: tool.name, definition: tool })
      }
      if (typeof nextCursor !== 'string' || nextCursor === cursor) break
      cursor = nextCursor
    }
    return found
  } finally {
    await upstream.close()
  }
}
