import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  McpServer,
  McpServerFactory,
  Server,
  Transport,
} from '@modelcontextprotocol/server'
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio'
import { CompactMap } from '../base/compact-map.ts'
import { type JsonObject, roundNumbers } from '../base/json.ts'
import { codes } from './codes.ts'
import type { FastPath, FastReply, FastRequest, FastSession } from './fast-path.ts'
import { PipeTransport } from './pipe-transport.ts'

export interface StdioServing {
  readonly fastPath?: FastPath
  /** Called with what the fast path started, before its request reaches the SDK server. */
  handedOver?(id: string | number, handover: object): void
  onError?(error: unknown): void
  /** Default: the standard input and output of this process. */
  readonly transport?: Transport
}

/** Serves one client over a pipe, with the fast path in front of the SDK server. */
export function servePipe(
  factory: McpServerFactory,
  { fastPath, handedOver, onError = () => {}, transport = new PipeTransport() }: StdioServing,
): StdioServerHandle {
  if (fastPath === undefined) return serveStdio(factory, { transport, onerror: onError })
  const pipe = new FastPipe(transport, fastPath, handedOver ?? (() => {}), onError)
  const observed: McpServerFactory = async (context) => {
    const made = await factory(context)
    pipe.serverMade(made)
    return made
  }
  return serveStdio(observed, { transport: pipe, onerror: onError })
}

type RequestId = string | number

/** A transport that tries the fast path on each tools/call before the SDK server gets it. */
class FastPipe implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #inner: Transport
  readonly #fastPath: FastPath
  readonly #handedOver: (id: RequestId, handover: object) => void
  readonly #onError: (error: unknown) => void
  readonly #closing = new AbortController()
  /** Requests without an answer. Those that the fast path has not decided about yet have a list: what has to follow them. */
  readonly #unanswered = new CompactMap<RequestId, JSONRPCMessage[] | undefined>()
  #session: FastSession | undefined

  constructor(
    inner: Transport,
    fastPath: FastPath,
    handedOver: (id: RequestId, handover: object) => void,
    onError: (error: unknown) => void,
  ) {
    this.#inner = inner
    this.#fastPath = fastPath
    this.#handedOver = handedOver
    this.#onError = onError
  }

  /** The connection has its SDK server: from now on requests may take the fast path. */
  serverMade(made: McpServer | Server): void {
    const server = 'server' in made ? made.server : made
    this.#session = { server, closed: this.#closing.signal, hold: () => () => {} }
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message) => this.#received(message as JSONRPCMessage)
    this.#inner.onerror = (error) => this.onerror?.(error)
    this.#inner.onclose = () => {
      this.#closing.abort()
      this.onclose?.()
    }
    await this.#inner.start()
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message)) this.#unanswered.delete(message.id as RequestId)
    return this.#write(message)
  }

  /** A transport of others serialises by itself, and cannot keep numbers. */
  #write(message: JSONRPCMessage): Promise<void> {
    return this.#inner.send(this.#inner instanceof PipeTransport ? message : roundNumbers(message))
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  #received(message: JSONRPCMessage): void {
    if (!('method' in message)) this.onmessage?.(message)
    else if ('id' in message) this.#requested(message)
    else this.#notified(message)
  }

  #requested(message: JSONRPCRequest): void {
    const { id } = message
    // With two requests of one id, each could get the answer of the other.
    if (this.#unanswered.has(id)) {
      this.#refuse(null, codes.invalidRequest, 'A request of this id is under way on this connection.')
      return
    }
    this.#unanswered.set(id, undefined)
    if (this.#session === undefined || message.method !== 'tools/call') this.onmessage?.(message)
    else this.#tryFirst(message, this.#session).catch(this.#onError)
  }

  /** Shown to the fast path, and passed on to the SDK server, which must not see a cancellation before its request. */
  #notified(message: JSONRPCNotification): void {
    if (this.#session !== undefined) this.#showToFastPath(message, this.#session)
    const cancelled =
      message.method === 'notifications/cancelled' ? (message.params?.requestId as RequestId) : undefined
    const following = cancelled === undefined ? undefined : this.#unanswered.get(cancelled)
    if (following !== undefined) {
      following.push(message)
      return
    }
    // A cancelled request gets no answer.
    if (cancelled !== undefined) this.#unanswered.delete(cancelled)
    this.onmessage?.(message)
  }

  #showToFastPath(message: JSONRPCNotification, session: FastSession): void {
    const end = this.#fastPath(this.#asked(message, session))
    if (end instanceof Promise) end.catch(this.#onError)
  }

  async #tryFirst(message: JSONRPCRequest, session: FastSession): Promise<void> {
    const { id } = message
    const following: JSONRPCMessage[] = []
    this.#unanswered.set(id, following)
    try {
      const end = await this.#fastPath(this.#asked(message, session))
      this.#unanswered.delete(id)
      if (end.kind === 'answered') return
      if (end.kind === 'started') this.#handedOver(id, end.handover)
    } catch (error) {
      // Whether it was sent is not known, so the SDK server must not send it again.
      this.#onError(error)
      this.#refuse(id, codes.internalError, 'Internal server error')
      return
    }
    if (following.length === 0) this.#unanswered.set(id, undefined)
    for (const next of [message, ...following]) this.onmessage?.(next)
  }

  #asked(message: JSONRPCMessage, session: FastSession): FastRequest {
    const body = message as unknown as Record<string, unknown>
    return { body, headers: undefined, authInfo: undefined, session, reply: this.#reply, http: undefined }
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    const refused = { jsonrpc: '2.0', id, error: { code, message } }
    void this.send(refused as never).catch(this.#onError)
  }

  readonly #reply: FastReply = {
    send: (response: JsonObject) => void this.#write(response as never).catch(this.#onError),
    end: () => {},
    onClose: (listener) => {
      const { signal } = this.#closing
      if (signal.aborted) listener()
      else signal.addEventListener('abort', listener, { once: true })
    },
  }
}
