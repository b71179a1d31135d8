const plain = /^[a-z0-9][a-z0-9_-]{0,63}$/i

/**
 * Keeps the values of a label few, for each is a series of its own for ever: the named ones, or else the first so many
 * that look like an id. Every other is `other`.
 */
export function labelValues(named: readonly string[] | undefined, most = 50): (value: string) => string {
  const known = new Set(named)
  return (value) => {
    if (known.has(value)) return value
    if (named !== undefined || known.size >= most || !plain.test(value)) return 'other'
    known.add(value)
    return value
  }
}
