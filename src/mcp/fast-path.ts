import type { IncomingHttpHeaders } from 'node:http'
import type { AuthInfo } from '@modelcontextprotocol/server'
import type { JsonObject } from '../base/json.ts'
import type { KnownClient } from './caller.ts'

/**
 * Answers a message without an SDK server, or leaves it alone. Tried first; what it does not handle is served as usual. It
 * says at once what it knows at once.
 */
export type FastPath = (request: FastRequest) => FastEnd | Promise<FastEnd>

/** What became of a message. `started`: its work is in progress, and the SDK server's handler takes `handover` over. */
export type FastEnd =
  | { readonly kind: 'answered' }
  | { readonly kind: 'not-handled' }
  | { readonly kind: 'started'; readonly handover: object }

/** A message whose sender is known. */
export interface FastRequest {
  readonly body: Record<string, unknown>
  /** Undefined on a transport that has none. */
  readonly headers: IncomingHttpHeaders | undefined
  readonly authInfo: AuthInfo | undefined
  /** The client's connection, if it outlives this message: a 2025 session, or a pipe. */
  readonly session: FastSession | undefined
  readonly reply: FastReply
  /** What HTTP can do besides. Undefined on a pipe. */
  readonly http: FastHttp | undefined
}

/** What an HTTP request can get besides one whole answer. */
export interface FastHttp {
  /** Sends the whole message, a JSON-RPC response without a line break. */
  sendText(response: string, sessionId: string | undefined): void
  /** Sends a message ahead of the response, which then ends a stream of events. */
  notify(message: JsonObject): void
  /** Ends the request with an HTTP error whose body is this response. */
  refuse(status: number, response: JsonObject): void
  /**
   * Calls back if the client disconnects without an answer, or when the endpoint closes, which then answers request `id`;
   * until the returned function is called.
   */
  onGone(id: string | number, listener: () => void): () => void
}

/** A connection that outlives one message, with what its server knows of the client: the same object each time. */
export interface FastSession {
  /** Undefined on a pipe, which serves one client. */
  readonly id?: string
  readonly server: KnownClient
  /** Aborted when the connection ends. */
  readonly closed: AbortSignal
  /**
   * Takes the id of a request, and keeps the connection from counting as idle, until the returned function is called.
   * Undefined if a request of this id is under way.
   */
  hold(id: string | number): (() => void) | undefined
}

/** The way back to the client, for one message. */
export interface FastReply {
  /** Sends the whole message, a JSON-RPC response. */
  send(response: JsonObject, sessionId: string | undefined): void
  /** Ends the message without an answer, as for a request that its client cancelled. */
  end(): void
  /** Calls back when the client can no longer be answered, or was. */
  onClose(listener: () => void): void
}
