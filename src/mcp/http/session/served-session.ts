import type {
  AuthInfo,
  JSONRPCResultResponse,
  McpRequestContext,
  McpServerFactory,
  Server,
} from '@modelcontextprotocol/server'
import type { Session } from './session.ts'

/** A 2025 session, for the server that is built for it. */
export interface ServedSession extends Session {
  /** To be called when the client asks for a log level, so that other instances know. */
  levelChanged(level: string): Promise<void>
}

/** What a server is built for: one 2026 request, or one 2025 session. */
export interface ServingContext extends McpRequestContext {
  /** Only for a 2025 session. */
  readonly session?: ServedSession
}

/** Builds a new server for each request (2026) or session (2025). Any factory of the SDK is one. */
export type ServerFactory = (context: ServingContext) => ReturnType<McpServerFactory>

/** A session that is open, and its own server. */
export interface FoundSession extends Session {
  readonly server: Server
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
