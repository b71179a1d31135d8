import { Client, InMemoryTransport, type Transport } from '@modelcontextprotocol/client'
import type { McpServer } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../base/json.ts'
import type { AgentToolSource, AskPerson, Calling, ToolDescription } from './source.ts'

/** Makes the connection of one session to an MCP server. */
export type OpenTransport = () => Promise<Transport>

interface Session {
  readonly client: Client
  ask: AskPerson
  running: number
  queue: Promise<unknown>
}

const mostSessions = 16
const noTimeout = 2 ** 31 - 1

/**
 * The tools of an MCP server. Each one who is asked gets a session of their own, so that a question of the server goes to
 * the person of the call that it belongs to; within a session, calls run one after the other.
 */
export function mcpSource(open: OpenTransport, { sessions: most = mostSessions } = {}): AgentToolSource {
  const sessions = new Map<string, Promise<Session>>()

  async function start(): Promise<Session> {
    const client = new Client({ name: 'assent hub', version: '1' }, { capabilities: { elicitation: { form: {} } } })
    const session: Session = { client, ask: async () => ({ action: 'cancel' }), running: 0, queue: Promise.resolve() }
    client.setRequestHandler('elicitation/create', async ({ params }, ctx) => {
      return (await session.ask(params as unknown as JsonObject, ctx.mcpReq.signal)) as never
    })
    await client.connect(await open())
    return session
  }

  async function sessionFor(asker: string): Promise<Session> {
    const known = sessions.get(asker)
    if (known !== undefined) return known
    if (sessions.size >= most) await closeIdle()
    const starting = start()
    sessions.set(asker, starting)
    starting.then(
      ({ client }) => {
        client.onclose = () => sessions.delete(asker)
      },
      () => sessions.delete(asker),
    )
    return starting
  }

  async function closeIdle(): Promise<void> {
    for (const [asker, starting] of sessions) {
      const session = await starting
      if (session.running > 0) continue
      sessions.delete(asker)
      await session.client.close()
      return
    }
    throw new Error('This agent has too many callers at once. Try again later.')
  }

  return {
    async list() {
      const { client } = await sessionFor('')
      return (await client.listTools()).tools as unknown as readonly ToolDescription[]
    },
    async call(name, args, { signal, asker, ask }: Calling) {
      const session = await sessionFor(asker)
      session.running += 1
      const run = async () => {
        signal.throwIfAborted()
        session.ask = ask
        return session.client.callTool({ name, arguments: args }, { signal, timeout: noTimeout })
      }
      const running = session.queue.then(run, run)
      session.queue = running.catch(() => {})
      try {
        return (await running) as unknown as JsonObject
      } finally {
        session.running -= 1
      }
    },
    async close() {
      const all = await Promise.allSettled(sessions.values())
      await Promise.allSettled(all.map((one) => (one.status === 'fulfilled' ? one.value.client.close() : undefined)))
    },
  }
}

/** The tools of a server in this process. `make` makes one server for each session. */
export function serverSource(
  make: () => McpServer | Promise<McpServer>,
  options?: { sessions?: number },
): AgentToolSource {
  return mcpSource(async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await (await make()).connect(theirs as never)
    return ours
  }, options)
}
