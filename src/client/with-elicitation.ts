import type { CallToolResult, Client, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/client'
import { type Duration, milliseconds } from '../base/durations.ts'
import type { Conversation } from './conversation.ts'
import { converse } from './converse.ts'
import type { ClientLeg } from './leg/leg.ts'
import { legOf } from './leg/leg-v2.ts'
import { createPages } from './page/pages.ts'
import { answerPushed } from './question/answer-pushed.ts'
import { createRateLimit } from './question/rate-limit.ts'
import { createTurns } from './question/turns.ts'
import { createToolClocks } from './tool-clock.ts'
import type { ElicitationUi } from './ui.ts'

export interface ElicitationOptions {
  /** The server as the person knows it: what they configured, not what it says of itself. */
  readonly server: string
  /** How long a tool may take, a person's time not counted. Default: 60 seconds. */
  readonly toolTime?: Duration
  /** How long a person may take over one call. Default: 15 minutes. */
  readonly humanTime?: Duration
  /** Questions that a server may ask in a minute; what is more is cancelled. Default: 60. */
  readonly asksPerMinute?: number
  /** How often one call is sent again after pages were visited. Default: 5. */
  readonly mostRetries?: number
  /** How long a server may hold one request while a person is on a page, before it is sent anew. Default: 2 minutes. */
  readonly heldTime?: Duration
}

/** What one call may be told. */
export interface CallOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly onProgress?: (text: string) => void
}

/** A client whose calls ask the person whatever the server needs, and then go on by themselves. */
export interface ElicitingClient {
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    options?: CallOptions,
  ): Promise<CallToolResult>
  getPrompt(
    params: { name: string; arguments?: Record<string, string> },
    options?: CallOptions,
  ): Promise<GetPromptResult>
  readResource(params: { uri: string }, options?: CallOptions): Promise<ReadResourceResult>
}

/** Lets a client ask its person. To be called before it connects: it declares what it can be asked. */
export function withElicitation(client: Client, ui: ElicitationUi, options: ElicitationOptions): ElicitingClient {
  return elicitingClient(legOf(client), ui, options)
}

/** The same for a client of any version, through its leg. */
export function elicitingClient(leg: ClientLeg, ui: ElicitationUi, options: ElicitationOptions): ElicitingClient {
  const conversation: Conversation = {
    leg,
    ui,
    server: options.server,
    clocks: createToolClocks(),
    pages: createPages(),
    visits: new Map(),
    inTurn: createTurns(),
    mayAsk: createRateLimit(options.asksPerMinute ?? 60),
    humanMs: milliseconds(options.humanTime ?? '15m'),
    mostRetries: options.mostRetries ?? 5,
    heldMs: milliseconds(options.heldTime ?? '2m'),
  }
  leg.onElicit((params, signal) => answerPushed(conversation, params, signal))
  leg.onComplete(conversation.pages.completed)

  const toolMs = milliseconds(options.toolTime ?? '60s')
  const send = (
    method: string,
    params: Record<string, unknown>,
    { timeoutMs = toolMs, signal, onProgress }: CallOptions = {},
  ) =>
    converse(conversation, method, params, {
      timeoutMs,
      ...(signal && { signal }),
      ...(onProgress && { onProgress }),
    }) as Promise<never>
  return {
    callTool: (params, callOptions) => send('tools/call', params, callOptions),
    getPrompt: (params, callOptions) => send('prompts/get', params, callOptions),
    readResource: (params, callOptions) => send('resources/read', params, callOptions),
  }
}
