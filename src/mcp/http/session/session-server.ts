import { randomUUID } from 'node:crypto'
import type { McpRequestContext, McpServerFactory, Server } from '@modelcontextprotocol/server'
import type { Clock } from '../../../base/clock.ts'
import type { JsonObject } from '../../../base/json.ts'
import { inBackground } from '../../../base/under-way.ts'
import type { ClientInfo } from '../../quirks.ts'
import type { SessionTransport } from './session.ts'

/** What a session's server is made from. */
export interface SessionServerParts {
  readonly transport: SessionTransport
  readonly clock: Clock
  make(first?: FirstRequest): ReturnType<McpServerFactory>
  /** Called when there is a server, which may be let go later. Left out: it never is. */
  made?(server: SessionServer): void
  /** What the client said when the session began. Left out: the server is never let go. */
  readonly initialize?: JsonObject
}

/** What the first server of a session is made for. */
export type FirstRequest = Pick<McpRequestContext, 'requestInfo' | 'authInfo'>

/**
 * The SDK server of one 2025 session. While the session has nothing for it to do, it can be let go: it is made again, and told
 * what the client said, when something needs it. The transport stays, with the streams that clients hold open.
 */
export class SessionServer {
  readonly #parts: Omit<SessionServerParts, 'initialize'>
  /** As text, which takes less memory than what it is parsed to. */
  readonly #initialize: string | undefined
  #server: Server | undefined
  #making: Promise<Server> | undefined
  /** What of its client it knew when it was let go. */
  #client: { readonly version?: string; readonly info?: ClientInfo; readonly capabilities?: JsonObject } = {}
  #uses = 0
  #usedAt = 0

  constructor({ initialize, ...parts }: SessionServerParts) {
    this.#parts = parts
    this.#initialize = initialize && JSON.stringify(initialize)
  }

  /** Makes the first one. It does not know its client yet. */
  async begin(first: FirstRequest): Promise<void> {
    this.#keep(await this.#made(first))
  }

  getNegotiatedProtocolVersion(): string | undefined {
    return this.#server === undefined ? this.#client.version : this.#server.getNegotiatedProtocolVersion()
  }

  getClientVersion(): ClientInfo | undefined {
    return this.#server === undefined ? this.#client.info : this.#server.getClientVersion()
  }

  getClientCapabilities(): JsonObject | undefined {
    const { capabilities } = this.#client
    return this.#server === undefined ? capabilities : (this.#server.getClientCapabilities() as JsonObject | undefined)
  }

  /** Runs this with the server: at once if there is one, and not at all if none can be made. */
  with(work: (server: Server) => unknown): void {
    if (this.#server !== undefined) work(this.#server)
    else inBackground(this.use(async (server) => void work(server)).catch(() => {}))
  }

  /** Runs this while there is a server. It is not let go meanwhile. */
  async use<T>(work: (server: Server) => Promise<T>): Promise<T> {
    this.#uses += 1
    try {
      return await work(this.#server ?? (await this.#again()))
    } finally {
      this.#uses -= 1
      this.#usedAt = this.#parts.clock.now().getTime()
    }
  }

  /** Lets the server go, unless it has something to do or was used since then. Returns whether there is none now. */
  rest(before: number): boolean {
    const { transport } = this.#parts
    if (this.#server === undefined) return this.#making === undefined
    if (this.#initialize === undefined || transport.isClosed) return true
    if (this.#uses > 0 || this.#usedAt > before || !transport.canRest) return false
    this.#client = {
      version: this.#server.getNegotiatedProtocolVersion() as string,
      info: this.#server.getClientVersion() as ClientInfo,
      capabilities: this.#server.getClientCapabilities() as JsonObject,
    }
    transport.leaveServer()
    this.#server = undefined
    return true
  }

  /** Of several who need it at the same time, the first one makes it. */
  #again(): Promise<Server> {
    this.#making ??= this.#introduced().finally(() => {
      this.#making = undefined
    })
    return this.#making
  }

  async #introduced(): Promise<Server> {
    if (this.#parts.transport.isClosed) throw new Error('The session has ended.')
    const server = await this.#made()
    await this.#parts.transport.introduce(randomUUID(), JSON.parse(this.#initialize ?? '{}'))
    return this.#keep(server)
  }

  async #made(first?: FirstRequest): Promise<Server> {
    const made = await this.#parts.make(first)
    await this.#parts.transport.serveBy(made)
    return 'server' in made ? made.server : made
  }

  #keep(server: Server): Server {
    this.#server = server
    this.#usedAt = this.#parts.clock.now().getTime()
    this.#parts.made?.(this)
    return server
  }
}

/** Lets the servers of sessions go that were not used for so long. */
export function restServers(restMs: number, clock: Clock) {
  const servers = new Set<SessionServer>()
  let callOff: (() => void) | undefined

  function sweep(): void {
    callOff = undefined
    const before = clock.now().getTime() - restMs
    for (const server of servers) if (server.rest(before)) servers.delete(server)
    arm()
  }

  function arm(): void {
    if (servers.size > 0) callOff ??= clock.after(restMs, sweep)
  }

  return {
    add(server: SessionServer): void {
      servers.add(server)
      arm()
    },
    close(): void {
      callOff?.()
      servers.clear()
    },
  }
}
