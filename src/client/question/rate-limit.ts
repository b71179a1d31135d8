const minute = 60_000

/** Makes a function that says whether one more question may be shown: at most `max` per minute (E06-08). */
export function createRateLimit(max: number): () => boolean {
  const recent: number[] = []
  return () => {
    const now = performance.now()
    while (recent[0] !== undefined && recent[0] <= now - minute) recent.shift()
    if (recent.length >= max) return false
    recent.push(now)
    return true
  }
}
