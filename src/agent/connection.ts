import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { createEvents, type Events } from '../base/events.ts'
import type { JsonObject } from '../base/json.ts'
import { inBackground } from '../base/under-way.ts'
import { hubName } from '../hub/wire/envelope.ts'
import { type Writing, type WrittenEnvelope, writeEnvelope } from '../hub/wire/write.ts'
import { paceEnvelopes } from './paced-envelopes.ts'

/** An envelope that arrived. */
export interface Incoming {
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly kind: string
  readonly correlation_id?: string
  readonly payload: JsonObject
  /** WrittenEnvelope by the hub: on whose behalf a call comes. */
  readonly assent?: { readonly agents: readonly string[]; readonly root: string }
}

export interface SpaceConnectionOptions {
  /** The address of the space, such as `wss://assent.example.com/hub/ops`. */
  readonly url: string
  /** The token of this participant, or a function that gets one for each connection. */
  readonly token?: string | (() => string | Promise<string>)
  /** A ticket, which lets in once; the connection then is not made again when it is lost. */
  readonly ticket?: string
}

/** A connection that is made again when it is lost. Nothing is sent or heard twice, and nothing is lost in between. */
export interface SpaceConnection {
  /** Under which id the hub knows us. */
  readonly id: string
  readonly incoming: Events<Incoming>
  /** Welcomes, from the first reconnection on, and the end with its words. */
  readonly changes: Events<{ readonly kind: 'joined' } | { readonly kind: 'lost' | 'ended'; readonly words: string }>
  /** With which words it ended for good; undefined while it goes on. */
  readonly endedBy: string | undefined
  /** Sends an envelope, now or when the hub is back and takes it. */
  send(writing: Omit<Writing, 'from'>): WrittenEnvelope
  welcome(): JsonObject
  close(): Promise<void>
}

/** The space did not let us in, or ended the connection for good. */
export class NotInSpace extends Error {
  readonly code: number
  constructor(code: number, words: string) {
    super(words)
    this.name = 'NotInSpace'
    this.code = code
  }
}

const mostRemembered = 10_000
const longestPauseMs = 1_500
const joinMs = 15_000
const ackEveryMs = 100
/** Joined from elsewhere, or not allowed: to come back would not help. */
const forGood = new Set([1000, 1008])

/** Joins a space. Rejects if the hub does not let us in. */
export async function connectToSpace(options: SpaceConnectionOptions): Promise<SpaceConnection> {
  const connection = new Reconnecting(options)
  await connection.open()
  return connection
}

class Reconnecting implements SpaceConnection {
  readonly incoming = createEvents<Incoming>()
  readonly changes: SpaceConnection['changes'] = createEvents()
  readonly #options: SpaceConnectionOptions
  readonly #outgoing = paceEnvelopes({ isOpen: () => this.#isOpen, write: (text) => this.#socket?.send(text) })
  readonly #heard = new Set<string>()
  #socket: WebSocket | undefined
  #welcome: JsonObject = {}
  #received = 0
  #last: { from: string; id: string } | undefined
  #acking: NodeJS.Timeout | undefined
  #again: NodeJS.Timeout | undefined
  #endedBy: string | undefined

  constructor(options: SpaceConnectionOptions) {
    this.#options = options
  }

  get id(): string {
    return String(this.#welcome.participant_id)
  }

  get endedBy(): string | undefined {
    return this.#endedBy
  }

  welcome = () => this.#welcome

  send(writing: Omit<Writing, 'from'>): WrittenEnvelope {
    const written = writeEnvelope(new Date(), { ...writing, from: this.id })
    this.#outgoing.put(written.id, written.text)
    return written
  }

  async open(): Promise<void> {
    const { url, token, ticket } = this.#options
    const address = new URL(url)
    address.searchParams.set('acks', '1')
    if (ticket !== undefined) address.searchParams.set('ticket', ticket)
    if (this.#last !== undefined) {
      address.searchParams.set('afterFrom', this.#last.from)
      address.searchParams.set('afterId', this.#last.id)
    }
    const bearer = typeof token === 'function' ? await token() : token
    const headers = bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }
    const socket = new WebSocket(address, { headers, handshakeTimeout: joinMs, perMessageDeflate: false })
    this.#received = 0
    await new Promise<void>((resolve, reject) => {
      socket.on('message', (data: Buffer) => this.#hear(socket, String(data), resolve))
      socket.on('error', (error) => reject(error))
      socket.on('close', (code, words) => {
        reject(new NotInSpace(code, String(words) || 'The connection was closed.'))
        if (this.#socket === socket) this.#lost(code, String(words))
      })
    })
  }

  async close(): Promise<void> {
    this.#end('You left the space.')
    clearTimeout(this.#acking)
    const socket = this.#socket
    if (socket === undefined || socket.readyState === socket.CLOSED) return
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await Promise.race([this.#outgoing.drained(), closed])
    if (this.#isOpen) socket.send(this.#acknowledgement())
    socket.close(1000, 'Leaving.')
    setTimeout(() => socket.terminate(), 2_000).unref()
    await closed
  }

  get #isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  #end(words: string): void {
    if (this.#endedBy !== undefined) return
    this.#endedBy = words
    this.changes.tell({ kind: 'ended', words })
  }

  #hear(socket: WebSocket, text: string, joined: () => void): void {
    const envelope = JSON.parse(text) as Incoming
    const { from, kind, payload, correlation_id: about } = envelope
    if (from === hubName && kind === 'system') {
      if (payload.event === 'welcome') {
        this.#socket = socket
        this.#welcome = payload
        this.#outgoing.keepTo((payload.limits ?? {}) as JsonObject)
        this.#outgoing.allAgain()
        joined()
        this.changes.tell({ kind: 'joined' })
      }
      if (payload.event === 'ack') for (const id of payload.ids as string[]) this.#outgoing.taken(id)
      if (payload.event === 'error' && payload.code === 'too-many') this.#sendAllAgain()
      // Refused for good. What cannot be kept right now is sent again with the next connection.
      if (payload.event === 'error' && payload.code === 'unavailable') this.#sendAgain(String(about))
      else if (payload.event === 'error' && about !== undefined) this.#outgoing.taken(about)
    }
    this.#count(envelope)
    if (about !== undefined && kind === 'mcp') this.#outgoing.taken(about)
    if (this.#isNew(envelope)) this.incoming.tell(envelope)
  }

  /** The hub does not say which one it did not take. Those that it took it knows by their ids. */
  #sendAllAgain(): void {
    this.#again ??= setTimeout(() => {
      this.#again = undefined
      this.#outgoing.allAgain()
    }, 1_000).unref()
  }

  #sendAgain(id: string): void {
    setTimeout(() => this.#outgoing.again(id), 500).unref()
  }

  /** What names us and is kept is counted, so that the hub knows what arrived. Of its own, the hub keeps answers only. */
  #count({ from, id, to = [] }: Incoming): void {
    if (!to.includes(this.id) || (from === hubName && !id.startsWith('answer-'))) return
    this.#received += 1
    this.#last = { from, id }
    this.#acking ??= setTimeout(() => this.#acknowledge(), ackEveryMs).unref()
  }

  #acknowledge(): void {
    this.#acking = undefined
    this.#outgoing.putOnce('ack', () => this.#acknowledgement())
  }

  #acknowledgement(): string {
    const payload = { event: 'ack', received: this.#received }
    return writeEnvelope(new Date(), { from: this.id, to: [hubName], kind: 'system', payload }).text
  }

  #isNew({ from, id }: Incoming): boolean {
    const name = `${from} ${id}`
    if (this.#heard.has(name)) return false
    this.#heard.add(name)
    if (this.#heard.size > mostRemembered) this.#heard.delete(this.#heard.values().next().value as string)
    return true
  }

  #lost(code: number, words: string): void {
    this.#socket = undefined
    if (this.#endedBy !== undefined) return
    if (forGood.has(code) || this.#options.ticket !== undefined) {
      this.#end(words)
      return
    }
    this.changes.tell({ kind: 'lost', words })
    inBackground(this.#comeBack())
  }

  /** Soon at first, then less and less often, and never in step with others. */
  async #comeBack(): Promise<void> {
    for (let pauseMs = 50; this.#endedBy === undefined; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      await pause(pauseMs * (0.5 + Math.random()))
      if (this.#endedBy !== undefined) return
      try {
        await this.open()
        return
      } catch (error) {
        if (!(error instanceof NotInSpace) || !forGood.has(error.code)) continue
        this.#end(error.message)
      }
    }
  }
}
