import type { Json, JsonObject } from '../../base/json.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import type { Requester } from '../../participant/requester.ts'

/** The id of a JSON-RPC request. */
export type RpcId = string | number

/** An error as JSON-RPC says it. */
export interface RpcError {
  code: number
  message: string
  data?: Json
}

/** One MCP server behind the gateway, whatever its transport and revision. */
export interface Upstream {
  readonly name: string
  /** What the upstream speaks: probed at first need, remembered with an age, probed again after a failure. */
  era(client: DownstreamClient, signal: StopSignal): Promise<EraReply>
  /** One request for one requester. Never throws for what an upstream may do. Nothing is sent twice that may have run. */
  request(request: UpstreamRequest): Promise<UpstreamReply>
  /** Tells a 2025 upstream something on this visitor's session, if there is one; a 2026 upstream is told nothing unasked. */
  notify(client: DownstreamClient, method: string, params: JsonObject): Promise<void>
  /**
   * What a 2025 upstream says unasked (list changes, resource updates, logging, completed elicitations), and to whom.
   * From a 2026 upstream it comes to `hooks.news` of a `subscriptions/listen` request.
   */
  listen(listener: (news: UpstreamNews) => void): () => void
  /** Ends this visitor's 2025 session or own process as soon as nothing is in flight on it. */
  leave(client: DownstreamClient): void
  /** The same for all that was opened with an account of this participant, which is another one now, or none. */
  accountChanged(participant: ParticipantId): void
  state(): UpstreamState
  /** Ends everything; what is in flight ends as lost. */
  close(): Promise<void>
}

/** For whom the upstream is spoken to. 2025: one session (or process) for each different visitor. */
export interface DownstreamClient {
  readonly requester: Requester
  /** Keeps the sessions of one requester apart, such as those of two windows of one client. */
  readonly sessionKey?: string | undefined
  /** What is declared to the upstream as the client's. */
  readonly capabilities: JsonObject
  readonly clientInfo?: ClientInfo | undefined
  readonly credential?: Credential | undefined
}

/** Name and version of a program, and whatever else it says of itself. */
export interface ClientInfo extends JsonObject {
  name: string
  version: string
}

/** A secret of the requester: a header of this one request (HTTP), or a variable of a process of their own (stdio). */
export type Credential =
  | { readonly header: string; readonly value: string }
  | { readonly env: string; readonly value: string }

/** One request to an upstream. */
export interface UpstreamRequest extends DownstreamClient {
  readonly method: string
  /** A progress token of the caller's in `_meta` is mapped; the 2026 keys of `_meta` are set by the upstream leg. */
  readonly params: JsonObject
  /** `Mcp-Param-*` headers for a 2026 upstream, values already encoded (`encodeHeaderValue`). */
  readonly paramHeaders?: Readonly<Record<string, string>>
  /** 2025: nothing else that may ask is in flight on the session or process meanwhile, so every question is this request's. */
  readonly exclusive?: boolean
  readonly signal: StopSignal
  readonly hooks?: UpstreamHooks
}

/** As much of an `AbortSignal` as is needed here; a real one costs more than the rest of a call's watching. */
export interface StopSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: StopListener, options?: { once: boolean }): void
  removeEventListener(type: 'abort', listener: StopListener): void
}

export type StopListener = (() => void) | { handleEvent(): void }

/** What may come while a request is in flight. A hook that throws harms nobody; an absent one means: not wanted. */
export interface UpstreamHooks {
  /** The token is the caller's own. */
  progress?(params: JsonObject): void
  log?(params: JsonObject): void
  /** A 2025 upstream asks in the middle (`elicitation/create`, `sampling/createMessage`, `roots/list`). Aborted when the answer is no longer wanted. */
  asked?(method: string, params: JsonObject, signal: AbortSignal): Promise<AskReply>
  /** Also told as news, for the request that it belongs to may have ended. */
  completed?(elicitationId: string): void
  /** Any other notification on this request's own stream, such as those of `subscriptions/listen`. */
  news?(method: string, params: JsonObject): void
}

/** The answer to what a 2025 upstream asked. */
export type AskReply = { readonly result: JsonObject } | { readonly error: RpcError }

/** How a request ended. */
export type UpstreamReply = UpstreamResult | UpstreamError | Unauthorized | Lost

/** `input_required` is a result like any other. */
export interface UpstreamResult {
  readonly kind: 'result'
  readonly result: JsonObject
}

/** The upstream answered with an error. */
export interface UpstreamError {
  readonly kind: 'error'
  readonly error: RpcError
}

/** The upstream wants another credential: none was sent, it is not valid, or it lacks a scope. Nothing has run. */
export interface Unauthorized {
  readonly kind: 'unauthorized'
  readonly status: 401 | 403
  readonly scopes?: readonly string[]
  /** `invalid_token`, `insufficient_scope` … as the upstream says. */
  readonly error?: string
  readonly resourceMetadata?: string
}

/** No answer came. `sent`: the request may have run, so it must not be sent again unasked. */
export interface Lost {
  readonly kind: 'lost'
  readonly reason: LostReason
  readonly sent: boolean
  /** For the log; may hold what the upstream said. */
  readonly detail: string
}

/** Why no answer came, in a word for programs. */
export type LostReason =
  /** Not reachable, does not start, or waits to be started again. */
  | 'down'
  /** The connection or the process ended before the answer. */
  | 'broken'
  /** The caller's signal. */
  | 'cancelled'
  /** It said nothing for too long. */
  | 'silent'
  /** What came is not MCP. */
  | 'malformed'
  | 'too-long'
  /** An HTTP status that is no answer. */
  | 'refused'
  | 'redirected'
  /** All processes or sessions are in use, and waiting took too long. */
  | 'busy'
  /** It speaks no revision that we speak. */
  | 'unsupported'
  | 'closed'

/** What an upstream speaks. */
export interface UpstreamEra {
  readonly revision: string
  /** 2026-07-28: each request stands alone, and questions come as results. */
  readonly perRequest: boolean
  readonly capabilities: JsonObject
  readonly serverInfo?: JsonObject
  readonly instructions?: string
}

/** What was found, or why nothing was. */
export type EraReply = { readonly kind: 'found'; readonly era: UpstreamEra } | UpstreamError | Unauthorized | Lost

/** What a 2025 upstream said without being asked. */
export interface UpstreamNews {
  readonly upstream: string
  readonly requester: Requester
  readonly sessionKey?: string
  readonly method: string
  readonly params: JsonObject
}

/** How an upstream is, for `/readyz` and `assent doctor`. */
export interface UpstreamState {
  /** `untried`: nobody needed it yet. */
  readonly kind: 'untried' | 'up' | 'down'
  readonly since: Date
  readonly reason?: string
  /** How often a process ended that was not to end. */
  readonly restarts: number
  /** 2025 sessions, or processes. */
  readonly open: number
  readonly inFlight: number
  readonly revision?: string
  /** The last lines that processes wrote to stderr. */
  readonly stderr: readonly string[]
  /** What came that nobody asked for, or too much of: dropped. */
  readonly dropped: number
}
