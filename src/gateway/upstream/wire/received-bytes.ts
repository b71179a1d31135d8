import type { Lease } from '../../../base/limits/budget.ts'
import { CollectedBytes } from '../../../base/limits/collect-bytes.ts'

/** Reserves memory for the messages of one upstream; undefined if there is no room for that much. */
export type ReserveBytes = (bytes: number) => Lease | undefined

/** So much of a message needs no reservation, which most messages never exceed. */
const unreserved = 16_384

/** What has arrived of one message, or of one part of it. */
export class ReceivedBytes {
  readonly #limit: number
  readonly #reserve: ReserveBytes
  #collected: CollectedBytes | undefined
  #lease: Lease | undefined

  constructor(limit: number, reserve: ReserveBytes) {
    this.#limit = limit
    this.#reserve = reserve
  }

  get length(): number {
    return this.#collected?.length ?? 0
  }

  get bytes(): Buffer {
    return this.#collected?.bytes ?? nothing
  }

  /** False: the message is longer than the limit, or there is no room for it. Then the chunk is not kept. */
  add(chunk: Buffer): boolean {
    const length = this.length + chunk.length
    if (length > this.#limit || !this.#hasRoom(length)) return false
    if (this.#collected === undefined) this.#collected = new CollectedBytes(chunk)
    else this.#collected.add(chunk)
    return true
  }

  /** The whole text, which is then no longer held here. */
  take(): string {
    const text = this.#collected?.text ?? ''
    this.clear()
    return text
  }

  clear(): void {
    this.#collected = undefined
    this.#lease?.release()
    this.#lease = undefined
  }

  #hasRoom(length: number): boolean {
    if (length <= unreserved) return true
    if (this.#lease !== undefined) return this.#lease.growTo(length)
    this.#lease = this.#reserve(length)
    return this.#lease !== undefined
  }
}

const nothing = Buffer.alloc(0)
