import type { ServerResponse } from 'node:http'

/** So much may be unread on a connection before it counts. */
const uncounted = 65_536

interface Unread {
  readonly owner: string
  bytes: number
}

/**
 * Answers that clients have not read yet. If they become too many, connections are closed, the longest unread ones first:
 * those of the same owner, then those of the owner with most.
 */
export class UnreadAnswers {
  readonly #most: number
  readonly #mostEach: number
  /** In the order in which they began to wait. */
  readonly #replies = new Map<ServerResponse, Unread>()

  constructor(most: number, mostEach: number) {
    this.#most = most
    this.#mostEach = mostEach
  }

  /** The bytes that wait to be read. */
  get bytes(): number {
    return this.#bytesOf()
  }

  /** To be called when something was written to a client. */
  wrote(owner: string, reply: ServerResponse): void {
    const bytes = reply.writableLength
    if (bytes <= uncounted) return
    const known = this.#replies.get(reply)
    if (known === undefined) this.#add(reply, { owner, bytes })
    else known.bytes = bytes
    while (this.#bytesOf(owner) > this.#mostEach) this.#closeOldest(owner)
    while (this.bytes > this.#most) this.#closeOldest(this.#greediest())
  }

  #add(reply: ServerResponse, unread: Unread): void {
    this.#replies.set(reply, unread)
    for (const event of ['drain', 'finish', 'close']) reply.on(event, () => this.#replies.delete(reply))
  }

  #bytesOf(owner?: string): number {
    let bytes = 0
    for (const unread of this.#replies.values())
      if (owner === undefined || unread.owner === owner) bytes += unread.bytes
    return bytes
  }

  #greediest(): string {
    let found = ''
    for (const { owner } of this.#replies.values()) if (this.#bytesOf(owner) > this.#bytesOf(found)) found = owner
    return found
  }

  #closeOldest(owner: string): void {
    for (const [reply, unread] of this.#replies) {
      if (unread.owner !== owner) continue
      this.#replies.delete(reply)
      reply.destroy()
      return
    }
  }
}
