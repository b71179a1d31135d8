import { isPlainName, showName, shownText } from './show-text.ts'

/** Names of tools and servers longer than this are cut in a sentence. */
const longest = 80

/** The name of a tool or a server within a sentence: what it hides is marked, and what is cut off is counted. */
export function nameText(name: string): string {
  const shown = shownText(showName(name.slice(0, longest)))
  const left = name.length - longest
  return left > 0 ? `${shown}… (${left.toLocaleString('en')} more ${left === 1 ? 'character' : 'characters'})` : shown
}

/** Whether `nameText` is the name itself. */
export function isShownAsItIs(name: string): boolean {
  return name.length <= longest && isPlainName(name)
}
