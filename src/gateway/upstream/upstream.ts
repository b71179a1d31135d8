import type { Json, JsonObject } from '../../base/json.ts'
import type { SentCredential } from '../../connection/credential/sent-credential.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import type { Requester } from '../../participant/requester.ts'

/** The id of a JSON-RPC request. */
export type RpcId = string | number

/** A JSON-RPC error object. */
export interface RpcError {
  code: number
  message: string
  data?: Json
}

/** One MCP server behind the gateway, over any transport and of any revision. */
export interface Upstream {
  readonly name: string
  /**
   * The upstream's revision and capabilities: probed when first needed, remembered for a while, probed again after a
   * failure.
   */
  era(client: DownstreamClient, signal: StopSignal): Promise<EraReply>
  /** The same without a promise, if it is remembered. */
  readonly knownEra: UpstreamEra | undefined
  /**
   * Sends one request. A failing upstream is a value, never an exception. A request that may have run is not sent
   * again.
   */
  request(request: UpstreamRequest): Promise<UpstreamReply>
  /** Sends a notification on this client's 2025 session, if it has one. Does nothing for a 2026 upstream. */
  notify(client: DownstreamClient, method: string, params: JsonObject): Promise<void>
  /**
   * Notifications of a 2025 upstream that belong to no request: list changes, resource updates, logging, completed
   * elicitations. Those of a 2026 upstream go to `hooks.notification` of a `subscriptions/listen` request.
   */
  listen(listener: (notification: UpstreamNotification) => void): () => void
  /** Ends this client's 2025 session or own process as soon as nothing is in flight on it. */
  release(client: DownstreamClient): void
  /**
   * The participant's account was replaced or removed: ends all sessions and processes opened with it, as `release`
   * does.
   */
  accountChanged(participant: ParticipantId): void
  state(): UpstreamState
  /** Ends all sessions and processes; requests in flight end as lost. */
  close(): Promise<void>
}

/** The MCP client on whose behalf the upstream is called. Each client has a 2025 session or process of its own. */
export interface DownstreamClient {
  readonly requester: Requester
  /** Keeps the sessions of one requester apart, such as those of two windows of one client. */
  readonly sessionKey?: string | undefined
  /** The client capabilities that are declared to the upstream. */
  readonly capabilities: JsonObject
  readonly clientInfo?: Implementation | undefined
  readonly credential?: UpstreamCredential | undefined
}

/** Name and version of a client, and anything else it says about itself (`Implementation` in MCP). */
export interface Implementation extends JsonObject {
  name: string
  version: string
}

/**
 * A secret of the requester: a header of one request (HTTP), or an environment variable of the requester's own process
 * (stdio).
 */
export type UpstreamCredential = SentCredential

/** One request to an upstream. */
export interface UpstreamRequest extends DownstreamClient {
  readonly method: string
  /** The upstream replaces the caller's progress token and sets the 2026-07-28 keys of `_meta`. */
  readonly params: JsonObject
  /** `Mcp-Param-*` headers for a 2026 upstream, values already encoded (`encodeHeaderValue`). */
  readonly paramHeaders?: Readonly<Record<string, string>>
  /** Headers that carry a trace on, where calls are traced. */
  readonly traceHeaders?: Readonly<Record<string, string>>
  /**
   * 2025: no other request that may ask is in flight on the session or process, so every question belongs to this
   * request.
   */
  readonly exclusive?: boolean
  readonly signal: StopSignal
  readonly hooks?: UpstreamHooks
}

/** The part of `AbortSignal` that upstreams need. Making a real one for each call would be expensive. */
export interface StopSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: StopListener, options?: { once: boolean }): void
  removeEventListener(type: 'abort', listener: StopListener): void
}

export type StopListener = (() => void) | { handleEvent(): void }

/** Called while a request is in flight. An exception thrown by a hook does not affect the request. */
export interface UpstreamHooks {
  /**
   * The request had to wait: for a process, a session, a handshake, or another instance. False: what let it run no longer
   * holds, and it must not be sent.
   */
  late?(): Promise<boolean>
  /** `params.progressToken` is the caller's own token. */
  progress?(params: JsonObject): void
  log?(params: JsonObject): void
  /**
   * A 2025 upstream sent `elicitation/create`, `sampling/createMessage` or `roots/list`. The signal aborts when no
   * answer is needed any more. Without this hook, the upstream gets an error.
   */
  asked?(method: string, params: JsonObject, signal: AbortSignal): Promise<AskReply>
  /** Listeners of `Upstream.listen` get it too, because the request that it belongs to may have ended. */
  completed?(elicitationId: string): void
  /** Any other notification on this request's own stream, such as those of `subscriptions/listen`. */
  notification?(method: string, params: JsonObject): void
}

/** The answer to a request of a 2025 upstream. */
export type AskReply = { readonly result: JsonObject } | { readonly error: RpcError }

/** How a request ended. */
export type UpstreamReply = UpstreamResult | UpstreamError | Unauthorized | Lost

/** The upstream answered with a result, which may be `input_required`. */
export interface UpstreamResult {
  readonly kind: 'result'
  readonly result: JsonObject
  /** The same as the upstream wrote it, without a line break. Undefined if it may not go on in these words. */
  readonly written?: string | undefined
  /** The length of the message that it came in. Left out by an upstream that is not read from a wire. */
  readonly length?: number
}

/** The upstream answered with an error. */
export interface UpstreamError {
  readonly kind: 'error'
  readonly error: RpcError
}

/** The upstream did not run the request: the credential is missing, invalid, or lacks a scope. */
export interface Unauthorized {
  readonly kind: 'unauthorized'
  readonly status: 401 | 403
  readonly scopes?: readonly string[]
  /** The OAuth error code of the challenge, such as `invalid_token` or `insufficient_scope`. */
  readonly error?: string
  readonly resourceMetadata?: string
}

/** No answer came. */
export interface Lost {
  readonly kind: 'lost'
  readonly reason: LostReason
  /** The request may have run, so it must not be retried automatically. */
  readonly sent: boolean
  /** For the log; may quote the upstream. */
  readonly detail: string
}

/** Why no answer came. */
export type LostReason =
  /** Not reachable, does not start, or is waiting for its restart. */
  | 'down'
  /** The connection or the process ended before the answer. */
  | 'broken'
  /** The caller's signal was aborted. */
  | 'cancelled'
  /** The upstream sent nothing for too long. */
  | 'silent'
  /** The answer is not valid MCP. */
  | 'malformed'
  /** The answer is longer than the limit. */
  | 'too-long'
  /** An HTTP error status without a JSON-RPC error. */
  | 'refused'
  /** An HTTP redirect, which is never followed. */
  | 'redirected'
  /** All processes or sessions are in use, and none became free in time. */
  | 'busy'
  /** The upstream supports no revision that the gateway supports. */
  | 'unsupported'
  /** The gateway, the session or the process was closed. */
  | 'closed'

/** An upstream's protocol revision and what it declared about itself. */
export interface UpstreamEra {
  readonly revision: string
  /** 2026-07-28: there are no sessions, and the upstream asks questions by results. */
  readonly perRequest: boolean
  readonly capabilities: JsonObject
  readonly serverInfo?: JsonObject
  readonly instructions?: string
}

/** An upstream's era, or why it could not be found. */
export type EraReply = { readonly kind: 'found'; readonly era: UpstreamEra } | UpstreamError | Unauthorized | Lost

/** A notification of a 2025 upstream that belongs to no request, and the client whose session it came on. */
export interface UpstreamNotification {
  readonly upstream: string
  readonly requester: Requester
  readonly sessionKey?: string
  readonly method: string
  readonly params: JsonObject
}

/** The health of an upstream, for `/readyz` and `assent doctor`. */
export interface UpstreamState {
  /** `untried`: nothing has needed it yet. `starting`: it has not answered for the first time yet. */
  readonly kind: 'untried' | 'starting' | 'up' | 'down'
  readonly since: Date
  readonly reason?: string
  /** How often a process exited unexpectedly. */
  readonly restarts: number
  /** The number of 2025 sessions or processes. */
  readonly open: number
  /** How many requests wait for their reply, besides subscriptions. */
  readonly inFlight: number
  readonly revision?: string
  /** The last lines that processes wrote to stderr. */
  readonly stderr: readonly string[]
  /** How many messages were dropped because they were malformed, unexpected or over the rate limit. */
  readonly dropped: number
}
