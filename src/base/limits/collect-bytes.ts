/**
 * Puts chunks of bytes together. They are copied into one block: whoever sends a byte at a time would otherwise make us
 * keep an object of a hundred bytes for each.
 */
export class CollectedBytes {
  #block: Buffer
  #length: number

  constructor(first: Buffer) {
    this.#block = first
    this.#length = first.length
  }

  get length(): number {
    return this.#length
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length
    if (length > this.#block.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, this.#block.length * 2))
      this.#block.copy(larger, 0, 0, this.#length)
      this.#block = larger
    }
    chunk.copy(this.#block, this.#length)
    this.#length = length
  }

  /** What was collected. Valid until something is added. */
  get bytes(): Buffer {
    return this.#block.subarray(0, this.#length)
  }

  get text(): string {
    return this.#block.toString('utf8', 0, this.#length)
  }
}
