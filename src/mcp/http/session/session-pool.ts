/** A session, as far as making room for others goes. */
export interface PooledSession {
  readonly owner: string
  /** A session in use is never closed to make room. */
  isIdle(): boolean
  close(): void
}

/** The owner of all sessions where there is no login. */
export const localOwner = 'local'

/** Limits the sessions of all endpoints together, and those of each owner. */
export class SessionPool {
  readonly #most: number
  readonly #mostEach: number
  /** In the order of last use, the longest unused first. */
  readonly #sessions = new Set<PooledSession>()

  constructor(most: number, mostEach: number) {
    this.#most = most
    this.#mostEach = mostEach
  }

  /**
   * Makes room for one more session by closing the one that is idle for longest: one of the same owner if there is any,
   * else one of the owner that has most. False: there is no room, and none can be made.
   */
  makeRoom(owner: string): boolean {
    const mine = this.#countOf(owner)
    // Without a login there is one owner only, whom a limit of their own would protect from nobody.
    const isFull = owner !== localOwner && mine >= this.#mostEach
    if (!isFull && this.#sessions.size < this.#most) return true
    return this.#closeIdle(owner) || (!isFull && this.#closeIdle(this.#largest()))
  }

  add(session: PooledSession): void {
    this.#sessions.add(session)
  }

  /** The session was used. One that has been removed is not added again. */
  touch(session: PooledSession): void {
    if (this.#sessions.delete(session)) this.#sessions.add(session)
  }

  delete(session: PooledSession): void {
    this.#sessions.delete(session)
  }

  #countOf(owner: string): number {
    let count = 0
    for (const session of this.#sessions) if (session.owner === owner) count += 1
    return count
  }

  #closeIdle(owner: string | undefined): boolean {
    for (const session of this.#sessions) {
      if (session.owner !== owner || !session.isIdle()) continue
      this.#sessions.delete(session)
      session.close()
      return true
    }
    return false
  }

  /** Of the owners that have an idle session, the one with most sessions. */
  #largest(): string | undefined {
    const owners = new Set([...this.#sessions].filter((session) => session.isIdle()).map(({ owner }) => owner))
    return [...owners].sort((one, other) => this.#countOf(other) - this.#countOf(one))[0]
  }
}
