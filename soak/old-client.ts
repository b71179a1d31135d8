import { initialize } from './messages.ts'
import { type Answer, jsonHeaders, type keptConnections, type Message, send } from './send.ts'

/** A client of 2025-11-25 on a session of its own, as it speaks on the wire. */
export interface OldClient {
  readonly session: string | undefined
  /** A tools/call. What is asked meanwhile is answered by `answers`; undefined: the person is still thinking. */
  call(params: object, answers?: Answers): Promise<Answer>
}

export type Answers = (asked: Asked) => object | undefined | Promise<object>

export interface Asked {
  readonly mode?: string
  readonly message: string
  readonly requestedSchema?: { readonly properties: Readonly<Record<string, unknown>> }
}

/** Opens a session. `headers` go with everything it sends. */
export async function openOld(
  agent: ReturnType<typeof keptConnections>,
  at: URL,
  headers: Readonly<Record<string, string>> = {},
): Promise<OldClient> {
  const common = { ...jsonHeaders, ...headers }
  const greeted = await send(agent, at, { headers: common, body: JSON.stringify(initialize) })
  const id = greeted.headers['mcp-session-id']
  const session = typeof id === 'string' ? id : undefined
  const inSession = { ...common, 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Session-Id': session ?? 'none' }
  const post = (message: object, heard?: (message: Message) => void) =>
    send(agent, at, {
      headers: inSession,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      ...(heard && { heard }),
    })
  if (session !== undefined) await post({ method: 'notifications/initialized' })

  let requests = 0
  return {
    session,
    call(params, answers = () => undefined) {
      requests += 1
      return post({ id: requests, method: 'tools/call', params }, async ({ id, method, params: asked }) => {
        const result = method === 'elicitation/create' ? await answers(asked as Asked) : undefined
        // A gateway that is gone by now shows at the call itself.
        if (result !== undefined) await post({ id, result }).catch(() => {})
      })
    },
  }
}
