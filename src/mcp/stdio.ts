import type { JSONRPCMessage, McpServer, McpServerFactory, Server, Transport } from '@modelcontextprotocol/server'
import { type StdioServerHandle, StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { JsonObject } from '../base/json.ts'
import type { FastPath, FastReply, FastSession } from './fast-path.ts'

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
  { fastPath, handedOver, onError = () => {}, transport = new StdioServerTransport() }: StdioServing,
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

/** A transport that tries the fast path on each request before the SDK server gets it. */
class FastPipe implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #inner: Transport
  readonly #fastPath: FastPath
  readonly #handedOver: (id: string | number, handover: object) => void
  readonly #onError: (error: unknown) => void
  readonly #closing = new AbortController()
  #session: FastSession | undefined

  constructor(
    inner: Transport,
    fastPath: FastPath,
    handedOver: (id: string | number, handover: object) => void,
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
    return this.#inner.send(message)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  #received(message: JSONRPCMessage): void {
    if (this.#session === undefined || !('method' in message)) {
      this.onmessage?.(message)
      return
    }
    void this.#tryFirst(message, this.#session)
  }

  async #tryFirst(message: JSONRPCMessage, session: FastSession): Promise<void> {
    const body = message as unknown as Record<string, unknown>
    const request = { body, headers: undefined, authInfo: undefined, session, reply: this.#reply }
    // Only a request may be held up by the fast path. A notification is shown to it and passed on in order.
    if (!('id' in message)) {
      void this.#fastPath(request).catch(this.#onError)
      this.onmessage?.(message)
      return
    }
    try {
      const end = await this.#fastPath(request)
      if (end.kind === 'answered') return
      if (end.kind === 'started') this.#handedOver(message.id as string | number, end.handover)
    } catch (error) {
      this.#onError(error)
    }
    this.onmessage?.(message)
  }

  readonly #reply: FastReply = {
    send: (response: JsonObject) => void this.#inner.send(response as never).catch(this.#onError),
    end: () => {},
    onClose: (listener) => {
      const { signal } = this.#closing
      if (signal.aborted) listener()
      else signal.addEventListener('abort', listener, { once: true })
      return () => signal.removeEventListener('abort', listener)
    },
  }
}
