/** The longest pattern, so that matching takes time in proportion to the text alone. */
const longestGlob = 256

/** What is wrong with a pattern, for whoever wrote it. */
export function problemWithGlob(glob: string): string | undefined {
  return glob.length <= longestGlob ? undefined : `A pattern has at most ${longestGlob} characters.`
}

/** Matches text against a pattern, as a whole: `*` is any text, `?` any one character, all else itself. */
export function globMatcher(pattern: string): (text: string) => boolean {
  const firstWild = pattern.search(/[*?]/)
  if (firstWild < 0) return (text) => text === pattern
  if (pattern === '*') return () => true
  if (firstWild === pattern.length - 1 && pattern.endsWith('*')) {
    const start = pattern.slice(0, -1)
    return (text) => text.startsWith(start)
  }
  return (text) => matches(pattern, text)
}

/** Goes back to the last star only: an earlier one could take nothing that the last one cannot. */
function matches(pattern: string, text: string): boolean {
  let [at, star, retry] = [0, -1, 0]
  let index = 0
  while (index < text.length) {
    const sign = pattern[at]
    if (sign === '*') {
      star = at
      retry = index
      at += 1
    } else if (sign !== undefined && (sign === '?' || sign === text[index])) {
      at += 1
      index += 1
    } else if (star >= 0) {
      at = star + 1
      retry += 1
      index = retry
    } else return false
  }
  while (pattern[at] === '*') at += 1
  return at === pattern.length
}
