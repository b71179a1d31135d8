/** Whether this is text that every store and every JSON reader takes: whole characters, and no NUL among them. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
}

/** How many characters a person counts, as JSON Schema counts them: code points, so that an emoji is one and not two. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
