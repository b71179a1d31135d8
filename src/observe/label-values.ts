const plain = /^[a-z0-9][a-z0-9_-]{0,63}$/i

/**
 * Limits the values of a label, since each value is a series that lasts as long as the process: the named values, or else
 * the first `most` that look like an id. Any other value becomes `other`.
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
