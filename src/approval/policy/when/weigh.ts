/** Whether a JSON value fits, judged by how many items and characters it holds; stops counting when it does not. */
export function isLighterThan(value: unknown, fits: (items: number, characters: number) => boolean): boolean {
  let items = 0
  let characters = 0
  const waiting: unknown[] = [value]
  let turn = 0
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string') characters += next.length
    else if (Array.isArray(next)) {
      items += next.length
      for (const item of next) waiting.push(item)
    } else if (typeof next === 'object' && next !== null) {
      for (const [key, member] of Object.entries(next)) {
        items += 1
        characters += key.length
        waiting.push(member)
      }
    }
    turn += 1
    if (turn % 1_024 === 0 && !fits(items, characters)) return false
  }
  return fits(items, characters)
}
