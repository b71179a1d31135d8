import type { CallToolResult, Client, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/client'
import { type Duration, milliseconds } from '../base/durations.ts'
import type { ClientAdapter } from './adapter/adapter.ts'
import { adapterForV2 } from './adapter/adapter-v2.ts'
import type { ClientContext } from './client-context.ts'
import { createCompletionNotices } from './page/completion-notices.ts'
import { answerPushed } from './question/answer-pushed.ts'
import { createQuestionQueue } from './question/question-queue.ts'
import { createRateLimit } from './question/rate-limit.ts'
import { runRequest } from './run-request.ts'
import { createToolClocks } from './tool-clock.ts'
import type { ElicitationUi } from './ui.ts'

export interface ElicitationOptions {
  /** The server's name for the person: the one that they configured, not the one that the server gives itself. */
  readonly server: string
  /** How long a tool may take, without the time in which a person is asked. Default: 60 seconds. */
  readonly toolTime?: Duration
  /** How long a person may take for one call. Default: 15 minutes. */
  readonly humanTime?: Duration
  /** Questions that a server may ask per minute; further ones are cancelled. Default: 60. */
  readonly asksPerMinute?: number
  /** How often one call is sent again after required pages were completed. Default: 5. */
  readonly maxRetries?: number
  /**
   * How long a server may hold one request while a person is on a page, before it is sent again. Default: 2 minutes.
   */
  readonly heldTime?: Duration
}

/** Options of one call. */
export interface ElicitingCallOptions {
  /** Aborting it cancels the call. */
  readonly signal?: AbortSignal
  /** How long the server may take, in milliseconds; the time that people take does not count. Default: `toolTime`. */
  readonly timeoutMs?: number
  /** Receives the progress that the server reports, in words. */
  readonly onProgress?: (text: string) => void
}

/** A client whose calls ask the person what the server needs to know, and then continue. */
export interface ElicitingClient {
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    options?: ElicitingCallOptions,
  ): Promise<CallToolResult>
  getPrompt(
    params: { name: string; arguments?: Record<string, string> },
    options?: ElicitingCallOptions,
  ): Promise<GetPromptResult>
  readResource(params: { uri: string }, options?: ElicitingCallOptions): Promise<ReadResourceResult>
}

/** Adds elicitation to a client. Must be called before the client connects, because it declares capabilities. */
export function withElicitation(client: Client, ui: ElicitationUi, options: ElicitationOptions): ElicitingClient {
  return elicitingClient(adapterForV2(client), ui, options)
}

/** Does the same for a client of any SDK version, through its adapter. */
export function elicitingClient(
  adapter: ClientAdapter,
  ui: ElicitationUi,
  options: ElicitationOptions,
): ElicitingClient {
  const context: ClientContext = {
    adapter,
    ui,
    server: options.server,
    clocks: createToolClocks(),
    completionNotices: createCompletionNotices(),
    sharedPages: new Map(),
    enqueue: createQuestionQueue(),
    mayAsk: createRateLimit(options.asksPerMinute ?? 60),
    humanMs: milliseconds(options.humanTime ?? '15m'),
    maxRetries: options.maxRetries ?? 5,
    heldMs: milliseconds(options.heldTime ?? '2m'),
  }
  adapter.onElicit((params, signal) => answerPushed(context, params, signal))
  adapter.onComplete(context.completionNotices.completed)

  const toolMs = milliseconds(options.toolTime ?? '60s')
  const send = (
    method: string,
    params: Record<string, unknown>,
    { timeoutMs = toolMs, signal, onProgress }: ElicitingCallOptions = {},
  ) =>
    runRequest(context, method, params, {
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
