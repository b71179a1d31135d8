import type { AuthInfo, JSONRPCResultResponse, McpRequestContext, McpServerFactory } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../../base/json.ts'
import type { Session } from './session.ts'
import type { SessionServer } from './session-server.ts'

/** A 2025 session, for the server that is built for it. */
export interface ServedSession extends Session {
  /** To be called when the client asks for a log level, so that other instances know. */
  levelChanged(level: string): Promise<void>
  /** Notifies the client through the session's server, which may be another one than it was made for. */
  notify(method: string, params: JsonObject): void
}

/** What a server is built for: one 2026 request, or one 2025 session. */
export interface ServingContext extends McpRequestContext {
  /** Only for a 2025 session. */
  readonly session?: ServedSession
}

/** Builds a new server for each request (2026) or session (2025). Any factory of the SDK is one. */
export type ServerFactory = (context: ServingContext) => ReturnType<McpServerFactory>

/** A session that is open, and what its server knows of the client. */
export interface FoundSession extends Session {
  readonly server: SessionServer
  /**
   * Takes the id of a request, and keeps the session from being idle, until the returned function is called.
   * Undefined if a request of this id is under way.
   */
  hold(id: string | number): (() => void) | undefined
  /** Takes the client's answer to a request that the session's server sent. False: it may be for another instance. */
  receive(answer: JSONRPCResultResponse): boolean | Promise<boolean>
}

/** The 2025 sessions of one endpoint. Each has an SDK server of its own, and belongs to the client that opened it. */
export interface Sessions {
  serve(request: Request, body: unknown, authInfo: AuthInfo | undefined): Promise<Response>
  /** The session of this id, if it belongs to the sender. */
  find(id: string, authInfo: AuthInfo | undefined): FoundSession | undefined
  readonly size: number
  close(): Promise<void>
}
