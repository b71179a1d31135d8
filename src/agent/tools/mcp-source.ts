import { Client, InMemoryTransport, type Transport } from '@modelcontextprotocol/client'
import type { McpServer } from '@modelcontextprotocol/server'
import { createEvents } from '../../base/events.ts'
import type { JsonObject } from '../../base/json.ts'
import type { AgentToolSource, AskPerson, Calling, ToolDescription } from './source.ts'

/** Makes the connection of one session to an MCP server. */
export type OpenTransport = () => Promise<Transport>

interface Session {
  readonly client: Client
  ask: AskPerson
  queue: Promise<unknown>
}

/** A session, and how many calls use it, those that wait for its start among them. */
interface Kept {
  readonly starting: Promise<Session>
  inUse: number
}

const mostSessions = 16
const noTimeout = 2 ** 31 - 1

/**
 * The tools of an MCP server. Each one who is asked gets a session of their own, so that a question of the server goes to
 * the person of the call that it belongs to; within a session, calls run one after the other.
 */
export function mcpSource(open: OpenTransport, { sessions: most = mostSessions } = {}): AgentToolSource {
  const sessions = new Map<string, Kept>()
  const changes = createEvents<void>()

  async function start(): Promise<Session> {
    const client = new Client({ name: 'assent hub', version: '1' }, { capabilities: { elicitation: { form: {} } } })
    const session: Session = { client, ask: async () => ({ action: 'cancel' }), queue: Promise.resolve() }
    client.setRequestHandler('elicitation/create', async ({ params }, ctx) => {
      return (await session.ask(params as unknown as JsonObject, ctx.mcpReq.signal)) as never
    })
    client.setNotificationHandler('notifications/tools/list_changed', () => changes.tell())
    await client.connect(await open())
    return session
  }

  function sessionFor(asker: string): Kept {
    const known = sessions.get(asker)
    if (known !== undefined) return known
    const room = sessions.size < most ? Promise.resolve() : closeIdle()
    const kept: Kept = { starting: room.then(start), inUse: 0 }
    sessions.set(asker, kept)
    const forget = () => {
      if (sessions.get(asker) === kept) sessions.delete(asker)
    }
    kept.starting.then(({ client }) => {
      client.onclose = forget
    }, forget)
    return kept
  }

  /** One that is not used is forgotten at once, so that nobody begins to use it. */
  function closeIdle(): Promise<void> {
    const [idle] = [...sessions].filter(([, { inUse }]) => inUse === 0)
    if (idle === undefined) throw new Error('This agent has too many callers at once. Try again later.')
    const [asker, { starting }] = idle
    sessions.delete(asker)
    return starting.then(({ client }) => client.close())
  }

  async function use<Result>(asker: string, work: (session: Session) => Promise<Result>): Promise<Result> {
    const kept = sessionFor(asker)
    kept.inUse += 1
    try {
      return await work(await kept.starting)
    } finally {
      kept.inUse -= 1
    }
  }

  return {
    onChange: (listener) => void changes.listen(listener),
    list: () =>
      use('', async ({ client }) => (await client.listTools()).tools as unknown as readonly ToolDescription[]),
    call: (name, args, { signal, asker, ask }: Calling) =>
      use(asker, (session) => {
        const run = async () => {
          signal.throwIfAborted()
          session.ask = ask
          return session.client.callTool({ name, arguments: args }, { signal, timeout: noTimeout })
        }
        const running = session.queue.then(run, run)
        session.queue = running.catch(() => {})
        return running as Promise<unknown> as Promise<JsonObject>
      }),
    async close() {
      const all = await Promise.allSettled([...sessions.values()].map(({ starting }) => starting))
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
