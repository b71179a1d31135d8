import { setTimeout as sleep } from 'node:timers/promises'
import { initialize } from './client-messages.ts'
import { type Answer, jsonHeaders, type keepAliveAgent, type Message, send } from './send.ts'

/** A client of 2025-11-25 with its own session, without the SDK. */
export interface Client2025 {
  readonly session: string | undefined
  /** Sends `tools/call`. `answers` answers the questions that come meanwhile; undefined leaves one unanswered. */
  call(params: object, answers?: AnswerQuestion): Promise<Answer>
}

export type AnswerQuestion = (asked: Asked) => object | undefined | Promise<object>

export interface Asked {
  readonly mode?: string
  readonly message: string
  readonly requestedSchema?: { readonly properties: Readonly<Record<string, unknown>> }
}

/** Opens a session. `headers` are sent with every request. */
export async function openClient2025(
  agent: ReturnType<typeof keepAliveAgent>,
  at: URL,
  headers: Readonly<Record<string, string>> = {},
): Promise<Client2025> {
  const common = { ...jsonHeaders, ...headers }
  const initialized = await send(agent, at, { headers: common, body: JSON.stringify(initialize) })
  const id = initialized.headers['mcp-session-id']
  const session = typeof id === 'string' ? id : undefined
  const inSession = { ...common, 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Session-Id': session ?? 'none' }
  const post = (message: object, onMessage?: (message: Message) => void) =>
    send(agent, at, {
      headers: inSession,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      ...(onMessage && { onMessage }),
    })
  if (session !== undefined) await post({ method: 'notifications/initialized' })

  let requests = 0
  return {
    session,
    call(params, answers = () => undefined) {
      requests += 1
      return post({ id: requests, method: 'tools/call', params }, async ({ id, method, params: asked }) => {
        const result = method === 'elicitation/create' ? await answers(asked as Asked) : undefined
        if (result !== undefined) await insist(() => post({ id, result }))
      })
    },
  }
}

const answerTries = 20
const answerEveryMs = 250

/** An answer is posted again while the gateway cannot take it. If the gateway was killed for good, the call itself fails. */
async function insist(post: () => Promise<Answer>): Promise<void> {
  for (let tries = 0; tries < answerTries; tries++) {
    const status = await post().then(
      (answer) => answer.status,
      () => undefined,
    )
    if (status !== undefined && status < 500) return
    await sleep(answerEveryMs)
  }
}
