/**
 * A map for what comes and goes with every call. A `Map` that is deleted from leaves old tables behind, each of which
 * points to the next: once one of them is old garbage, all that came after it is kept until the next full collection,
 * with everything it refers to. An object has no such trail.
 */
export class CompactMap<Key extends string | number, Value> {
  #entries: Record<string | number, Value> = Object.create(null)
  #size = 0

  get size(): number {
    return this.#size
  }

  has(key: Key): boolean {
    return placeOf(key) in this.#entries
  }

  get(key: Key): Value | undefined {
    return this.#entries[placeOf(key)]
  }

  set(key: Key, value: Value): void {
    const place = placeOf(key)
    if (!(place in this.#entries)) this.#size += 1
    this.#entries[place] = value
  }

  delete(key: Key): boolean {
    const place = placeOf(key)
    if (!(place in this.#entries)) return false
    delete this.#entries[place]
    this.#size -= 1
    return true
  }

  clear(): void {
    this.#entries = Object.create(null)
    this.#size = 0
  }

  values(): Value[] {
    return Object.values(this.#entries)
  }
}

/** The number 1 and the text "1" are two keys. What is neither, as from a message of somebody else, is nowhere. */
function placeOf(key: unknown): string | number {
  if (typeof key === 'string') return `"${key}`
  return typeof key === 'number' ? key : ''
}
