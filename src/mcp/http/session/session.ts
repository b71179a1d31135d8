import { randomUUID } from 'node:crypto'
import {
  type JSONRPCMessage,
  type McpServer,
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
  type WebStandardStreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/server'
import { CompactMap } from '../../../base/compact-map.ts'
import type { JsonObject } from '../../../base/json.ts'
import type { Lease } from '../../../base/limits/budget.ts'
import { codes } from '../../codes.ts'
import { idOf, refusal } from '../replies.ts'

/** A 2025 session, as the server that was built for it knows it. */
export interface Session {
  readonly id: string
  /** Aborted when the session ends: deleted, expired, pushed out, or closed with everything else. */
  readonly closed: AbortSignal
}

/** How a session reaches a client whose requests and streams may be at any instance. */
export interface Pushing {
  /** The id under which a request is sent to the client, so that its answer finds back here. */
  addressOf(request: RequestId): Promise<string>
  /** Sends what belongs to no request of the client to the instance that holds its stream. False: send it here. */
  sendElsewhere(message: JSONRPCMessage): boolean
}

/** The message for requests that are unanswered when the server closes. Their work may have been done. */
export const cutOff = 'The server ended this before the answer was there. It may have run.'

type Handle = WebStandardStreamableHTTPServerTransport['handleRequest']

/** The server's side of one session. It knows which requests are unanswered, whether or not a stream is open. */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #arriving = new CompactMap<RequestId, true>()
  readonly #unanswered = new Set<RequestId>()
  readonly #leases = new Map<RequestId, Lease>()
  readonly #onQuiet: () => void
  readonly #pushing: Pushing | undefined
  /** The requests that the client has not answered, with the ids under which it knows them. */
  readonly #pushed = new Map<RequestId, Promise<string>>()
  #opening = randomUUID()
  #isInitialized = false
  #isClosed = false
  /** What is to be called when the session ends, besides its server. */
  #onClose = () => {}
  /** Set while a server that took the place of another gets to know the client. */
  #introduction: { readonly id: string; resolve(answer: JSONRPCMessage): void } | undefined

  constructor(options: WebStandardStreamableHTTPServerTransportOptions, onQuiet: () => void, pushing?: Pushing) {
    super(options)
    this.#onQuiet = onQuiet
    this.#pushing = pushing
    // The SDK server that connects keeps this handler, and calls it first.
    this.onmessage = (message) => this.#note(message)
  }

  /**
   * Tells apart the servers that the session had here, one after the other. Each counts its requests from 0: an answer that
   * comes late, to one that another server asked, must not count.
   */
  get opening(): string {
    return this.#opening
  }

  /** Connects the server of the session. */
  async serveBy(server: McpServer | Server): Promise<void> {
    this.#onClose = this.onclose ?? this.#onClose
    await server.connect(this)
  }

  /** Whether nothing that is under way needs the server, and another one could take its place. */
  get canRest(): boolean {
    return this.#pushing !== undefined && this.#isInitialized && this.isQuiet && this.#pushed.size === 0
  }

  /** Lets the server go. Streams that the client holds open stay. */
  leaveServer(): void {
    this.#opening = randomUUID()
    this.onmessage = (message) => this.#note(message)
    this.onclose = this.#onClose
    this.onerror = () => {}
    this.setScopeChallengeResolver(undefined as never)
  }

  /** Has a server that took the place of another know the client: it gets what the client sent when the session began. */
  async introduce(id: string, initialize: JsonObject): Promise<void> {
    if (this.#isClosed) throw new Error('The session has ended.')
    const answered = new Promise<JSONRPCMessage>((resolve) => {
      this.#introduction = { id, resolve }
    })
    this.onmessage?.({ jsonrpc: '2.0', id, method: 'initialize', params: initialize })
    const answer = await answered
    this.#introduction = undefined
    if ('error' in answer) throw new Error(`The server of a session could not be made again: ${answer.error.message}`)
    this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  /** The SDK's may be started once, and is started by each server that connects. */
  override async start(): Promise<void> {}

  /** Takes the id of a request that another server answers, until the returned function is called. */
  take(id: RequestId): (() => void) | undefined {
    if (this.#isUnderWay(id)) return undefined
    this.#arriving.set(id, true)
    return () => void this.#arriving.delete(id)
  }

  /** Keeps the memory of a request for as long as it is unanswered, also if its client disconnects. */
  holdUntilAnswered(id: RequestId, lease: Lease): void {
    if (!this.#unanswered.has(id)) return
    lease.hold()
    this.#leases.set(id, lease)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get isQuiet(): boolean {
    return this.#unanswered.size === 0
  }

  override async handleRequest(...[request, options]: Parameters<Handle>): ReturnType<Handle> {
    const id = idOf(options?.parsedBody)
    if (id === null) return super.handleRequest(request, options)
    // Both answers would go to one of the two streams, and the other would stay silent.
    const release = this.take(id)
    if (release === undefined) {
      return refusal(400, 'A request of this id is under way in this session.', { code: codes.invalidRequest })
    }
    try {
      return await super.handleRequest(request, options)
    } finally {
      release()
    }
  }

  /** Answers all open requests first: a client would take a stream that merely ends for a lost connection. */
  override async close(): Promise<void> {
    this.#isClosed = true
    const error = { code: codes.serverError, message: cutOff }
    const told = [...this.#unanswered].map((id) => this.send({ jsonrpc: '2.0', id, error }))
    // Without open requests it closes in the same tick.
    if (told.length > 0) await Promise.allSettled(told)
    return super.close()
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if (!('method' in message)) {
      if (message.id !== undefined) this.#settle(message.id)
      if (this.#introduction !== undefined && message.id === this.#introduction.id) {
        return this.#introduction.resolve(message)
      }
      return super.send(message, options)
    }
    if (this.#pushing === undefined) return super.send(message, options)
    const made = this.#addressed(message, this.#pushing)
    // Waits only for what is sealed, so that notifications stay in order with the answer that follows them.
    const addressed = made instanceof Promise ? await made : made
    if (options?.relatedRequestId === undefined && this.#pushing.sendElsewhere(addressed)) return
    return super.send(addressed, options)
  }

  /** Takes a message that reached another instance as if the client had sent it here. */
  deliver(message: JSONRPCMessage): void {
    this.onmessage?.(message)
  }

  /** Sends what another instance has for the client, as it is, on the stream that the client holds here. */
  async pass(message: JSONRPCMessage): Promise<void> {
    await super.send(message)
  }

  /** A request under the id that leads its answer back here, or the message that cancels it under the same id. */
  #addressed(
    message: Extract<JSONRPCMessage, { method: string }>,
    pushing: Pushing,
  ): Promise<JSONRPCMessage> | JSONRPCMessage {
    if ('id' in message) {
      const address = pushing.addressOf(message.id)
      this.#pushed.set(message.id, address)
      return address.then((id) => ({ ...message, id }))
    }
    if (message.method !== 'notifications/cancelled') return message
    const address = this.#pushed.get(message.params?.requestId as RequestId)
    this.#pushed.delete(message.params?.requestId as RequestId)
    return address === undefined
      ? message
      : address.then((requestId) => ({ ...message, params: { ...message.params, requestId } }))
  }

  #note(message: JSONRPCMessage): void {
    if (!('method' in message)) return void this.#pushed.delete(message.id as RequestId)
    if (message.method === 'notifications/initialized') this.#isInitialized = true
    if ('id' in message) this.#unanswered.add(message.id)
    // A request that the client cancelled is never answered.
    else if (message.method === 'notifications/cancelled') this.#settle(message.params?.requestId as RequestId)
  }

  #isUnderWay(id: RequestId): boolean {
    return this.#unanswered.has(id) || this.#arriving.has(id)
  }

  #settle(id: RequestId): void {
    this.#leases.get(id)?.release()
    this.#leases.delete(id)
    if (this.#unanswered.delete(id) && this.isQuiet) this.#onQuiet()
  }
}
