import {
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
  type WebStandardStreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/server'

/** A 2025 session, as the server that was built for it knows it. */
export interface Session {
  readonly id: string
  /** Aborted when the session ends: deleted, expired, pushed out, or closed with everything else. */
  readonly closed: AbortSignal
}

/** The server's end of one session. It knows which requests are not answered yet, whether or not a stream is open. */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #unanswered = new Set<RequestId>()
  readonly #onQuiet: () => void

  constructor(options: WebStandardStreamableHTTPServerTransportOptions, onQuiet: () => void) {
    super(options)
    this.#onQuiet = onQuiet
    // The server that connects keeps what is here, and calls it first.
    this.onmessage = (message) => this.#note(message)
  }

  get isQuiet(): boolean {
    return this.#unanswered.size === 0
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id)
    return super.send(message, options)
  }

  #note(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    if ('id' in message) this.#unanswered.add(message.id)
    // A request that the client cancelled is never answered.
    else if (message.method === 'notifications/cancelled') this.#settle(message.params?.requestId as RequestId)
  }

  #settle(id: RequestId): void {
    if (this.#unanswered.delete(id) && this.isQuiet) this.#onQuiet()
  }
}
