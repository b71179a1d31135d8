const minute = 60_000

/** Whether one more question may be shown: so many in a minute, and no more (E06-08). */
export function createRateLimit(most: number): () => boolean {
  const recent: number[] = []
  return () => {
    const now = performance.now()
    while (recent[0] !== undefined && recent[0] <= now - minute) recent.shift()
    if (recent.length >= most) return false
    recent.push(now)
    return true
  }
}
