const mostNames = 3

/** The names that were probably meant by a misspelt one, nearest first. */
export function nearest(name: string, names: readonly string[]): string[] {
  return names
    .map((other) => ({ other, edits: editsBetween(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ other, edits }) => edits <= Math.max(1, name.length / 3) || isPartOf(name, other))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, mostNames)
    .map(({ other }) => other)
}

function isPartOf(name: string, other: string): boolean {
  return name.length >= 3 && other.toLowerCase().includes(name.toLowerCase())
}

/** The edit distance: how many letters must be added, dropped or changed. */
function editsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const change = (above[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1)
      current.push(Math.min(change, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    above = current
  }
  return above.at(-1) ?? 0
}
