import { type Client2025, openClient2025 } from './client/client-2025.ts'
import { meta2026 } from './client/client-messages.ts'
import { type Answer, jsonHeaders, keepAliveAgent, NoAnswer, replyIn, send } from './client/send.ts'
import type { Random } from './random.ts'

type Connections = ReturnType<typeof keepAliveAgent>

/** Calls upstreams that send broken messages, with clients of both eras, until `enough`. Every call must end. */
export async function callHostile(
  url: URL,
  servers: readonly string[],
  random: Random,
  enough: () => boolean,
): Promise<Map<string, number>> {
  const ends = new Map<string, number>()
  const agent = keepAliveAgent()
  const sessions = new Map<string, Client2025>()
  async function sessionOf(server: string, at: URL): Promise<Client2025> {
    const known = sessions.get(server) ?? (await openClient2025(agent, at))
    sessions.set(server, known)
    return known
  }
  try {
    while (!enough()) {
      const server = random.pick(servers)
      const at = new URL(`/mcp/${server}`, url)
      const isNew = !random.oneIn(4)
      const answer = await (isNew ? call2026(agent, at) : (await sessionOf(server, at)).call(call))
      if (answer.status === 404) sessions.delete(server)
      const end = outcomeOf(answer)
      ends.set(end, (ends.get(end) ?? 0) + 1)
    }
  } finally {
    agent.destroy()
  }
  return ends
}

function outcomeOf(answer: Answer): string {
  if (answer.status !== 200) return `HTTP ${answer.status}`
  const reply = replyIn(answer)
  if (reply === undefined) throw new NoAnswer(`A call ended without an answer: ${answer.text.slice(0, 300)}`)
  if (reply.error !== undefined) return 'error'
  if (reply.result?.resultType === 'input_required') return 'question'
  return reply.result?.isError === true ? 'failed' : 'result'
}

const call = { name: 'run', arguments: { id: 'hostile' } }

/** A call of 2026-07-28. `extra` are further headers. */
export function call2026(
  agent: Connections,
  at: URL,
  more: { name: string; [key: string]: unknown } = call,
  extra: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...more, _meta: meta2026 } }
  const headers = {
    ...jsonHeaders,
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': more.name,
    ...extra,
  }
  return send(agent, at, { headers, body: JSON.stringify(body) })
}
