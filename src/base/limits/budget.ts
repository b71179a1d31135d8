/** What one owner holds of a budget. */
interface Account {
  held: number
}

/** How many accounts are kept before empty ones are dropped. */
const many = 1_000
/** An owner that holds less than one such part of a budget holds little. */
const littleShare = 128

/** A number of bytes that many owners may hold at once, shared so that no owner can take it all. */
export class Budget {
  readonly #most: number
  readonly #mostEach: number
  readonly #accounts = new Map<string, Account>()
  #held = 0

  constructor(most: number, mostEach: number) {
    this.#most = most
    this.#mostEach = mostEach
  }

  /** The bytes that all owners hold. */
  get held(): number {
    return this.#held
  }

  /** Undefined if the owner may not hold that much more now. */
  lease(owner: string, bytes: number): Lease | undefined {
    const account = this.#accountOf(owner)
    return this.take(account, bytes) ? new Lease(this, account, bytes) : undefined
  }

  /** The last quarter is for owners that hold little: however greedy some are, there is room for the small requests of others. */
  take(account: Account, bytes: number): boolean {
    const wanted = account.held + bytes
    const most = wanted * littleShare > this.#most ? this.#most * 0.75 : this.#most
    if (wanted > this.#mostEach || this.#held + bytes > most) return false
    account.held = wanted
    this.#held += bytes
    return true
  }

  give(account: Account, bytes: number): void {
    account.held -= bytes
    this.#held -= bytes
  }

  #accountOf(owner: string): Account {
    const known = this.#accounts.get(owner)
    if (known !== undefined) return known
    if (this.#accounts.size >= many)
      for (const [key, { held }] of this.#accounts) if (held === 0) this.#accounts.delete(key)
    const account = { held: 0 }
    this.#accounts.set(owner, account)
    return account
  }
}

/** Part of a budget. It is given back when everybody who holds it has released it. */
export class Lease {
  readonly #budget: Budget
  readonly #account: Account
  #bytes: number
  #holders = 1

  constructor(budget: Budget, account: Account, bytes: number) {
    this.#budget = budget
    this.#account = account
    this.#bytes = bytes
  }

  /** Makes it as large as this, if it is smaller. False: there is no room, and it stays as it was. */
  growTo(bytes: number): boolean {
    const more = bytes - this.#bytes
    if (more <= 0) return true
    // After it was given back nothing may be taken in its name: nobody would give that back.
    if (this.#holders === 0 || !this.#budget.take(this.#account, more)) return false
    this.#bytes = bytes
    return true
  }

  /** One more holder keeps it, until `release`. */
  hold(): void {
    this.#holders += 1
  }

  release(): void {
    if (this.#holders === 0) return
    this.#holders -= 1
    if (this.#holders === 0) this.#budget.give(this.#account, this.#bytes)
  }
}
