import { plainWords } from './plain-words.ts'
import * as vocabulary from './secret-words.ts'

/** Words as `plainWords` reads them. */
export type Words = readonly string[]

/** All ways to read a word of the vocabulary, each in one piece. Only in Greek do small and large letters differ. */
function spellings(word: string): string[] {
  const capital = word.charAt(0).toUpperCase() + word.slice(1)
  const cases = /\p{Script=Greek}/u.test(word) ? [word, word.toUpperCase(), capital] : [word]
  return cases.flatMap(plainWords).map((words) => words.join(''))
}

export const setOf = (list: Words) => new Set(list.flatMap(spellings))
export const mapOf = (list: Words) =>
  new Map(list.flatMap((word) => spellings(word).map((spelling) => [spelling, word])))
export const anyOf = (list: Words) => [...setOf(list)].sort((one, other) => other.length - one.length).join('|')

export const determiners = setOf(vocabulary.determiners)
const asking = setOf(vocabulary.asking)
const askingStem = new RegExp(anyOf(vocabulary.askingStems))

/** Whether the word asks for something: "enter", "please". */
export function isAsking(word: string): boolean {
  return asking.has(word) || askingStem.test(word)
}
