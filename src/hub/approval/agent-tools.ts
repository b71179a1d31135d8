import { randomUUID } from 'node:crypto'
import { serverDefinitionDigest, type ToolDefinition, type ToolFacts, toolFacts } from '../../approval/tool-call.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import type { Word } from '../../instance/post.ts'
import { toolsWord } from '../sharing/peers.ts'
import type { SpaceDesk } from '../space/desk.ts'

/** What agents say of their tools. Asked once, until an agent joins again or says that its list changed. */
export interface AgentTools {
  /** Undefined: the agent has no such tool. Throws `ToolsUnknown` if it does not say which tools it has. */
  factsOf(agent: string, tool: string): Promise<ToolFacts | undefined>
  /** The answer of an agent to a question of this file, asked here or at another instance; false if it is another answer. */
  answered(agent: string, rpc: unknown, payload: Readonly<Record<string, unknown>>): boolean
  /** Another instance passes the answer of an agent on. */
  heard(word: Word): void
  forget(agent: string): void
}

/** An agent does not say which tools it has. */
export class ToolsUnknown extends Error {}

const mostPages = 50
const prefix = 'tools-'

/** The instance that asked under this id. */
function askerIn(rpc: unknown): string | undefined {
  return typeof rpc === 'string' && rpc.startsWith(prefix) ? rpc.slice(prefix.length).split('~', 1)[0] : undefined
}

export function createAgentTools(desk: SpaceDesk): AgentTools {
  const lists = new Map<string, Promise<Map<string, ToolFacts>>>()
  const asked = new Map<string, (payload: Readonly<Record<string, unknown>>) => void>()

  async function askFor(agent: string, cursor: string | undefined): Promise<Readonly<Record<string, unknown>>> {
    const { times } = desk
    if (!(await desk.whenHere(agent, times.tools))) throw new ToolsUnknown(`${agent} is not here.`)
    const id = `${prefix}${desk.instance ?? ''}~${randomUUID()}`
    return new Promise((resolve, reject) => {
      const callOff = desk.assent.clock.after(times.tools, () => {
        asked.delete(`${agent} ${id}`)
        reject(new ToolsUnknown(`${agent} does not say which tools it has.`))
      })
      asked.set(`${agent} ${id}`, (payload) => {
        asked.delete(`${agent} ${id}`)
        callOff()
        if (isPlainObject(payload.result)) resolve(payload.result)
        else reject(new ToolsUnknown(`${agent} does not say which tools it has.`))
      })
      const params = cursor === undefined ? {} : { cursor }
      desk.tell(agent, { kind: 'mcp', payload: { jsonrpc: '2.0', id, method: 'tools/list', params } })
    })
  }

  async function list(agent: string): Promise<Map<string, ToolFacts>> {
    const tools: ToolDefinition[] = []
    let cursor: string | undefined
    for (let page = 0; page < mostPages; page += 1) {
      const { tools: some, nextCursor } = await askFor(agent, cursor)
      const items = Array.isArray(some) ? some : []
      tools.push(...items.filter((tool) => isPlainObject(tool) && typeof tool.name === 'string'))
      if (typeof nextCursor !== 'string') break
      cursor = nextCursor
    }
    const all = serverDefinitionDigest(tools)
    return new Map(tools.map((tool) => [tool.name, toolFacts(tool, all)]))
  }

  return {
    async factsOf(agent, tool) {
      let listing = lists.get(agent)
      if (listing === undefined) {
        listing = list(agent)
        lists.set(agent, listing)
        listing.catch(() => lists.delete(agent))
      }
      return (await listing).get(tool)
    },
    answered(agent, rpc, payload) {
      const take = asked.get(`${agent} ${rpc}`)
      take?.(payload)
      if (take !== undefined) return true
      const instance = askerIn(rpc)
      if (instance === undefined || instance === desk.instance || !desk.isRunning(instance)) return false
      desk.sendTo(instance, { kind: toolsWord, agent, rpc: rpc as string, payload: payload as JsonObject })
      return true
    },
    heard: ({ agent, rpc, payload }) => asked.get(`${agent} ${rpc}`)?.(payload as JsonObject),
    forget: (agent) => lists.delete(agent),
  }
}
