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

/** Made at its first use: reading the vocabulary takes a tenth of a gateway's start, and few processes check a form. */
export function atFirstUse<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

export function setOf(list: Words): Pick<ReadonlySet<string>, 'has'> {
  const words = atFirstUse(() => new Set(list.flatMap(spellings)))
  return { has: (word) => words().has(word) }
}

export function mapOf(list: Words): Pick<ReadonlyMap<string, string>, 'get' | 'keys'> {
  const pairs = () => list.flatMap((word) => spellings(word).map((spelling) => [spelling, word] as const))
  const words = atFirstUse(() => new Map(pairs()))
  return { get: (word) => words().get(word), keys: () => words().keys() }
}

export function anyOf(list: Words): string {
  const words = [...new Set(list.flatMap(spellings))]
  return words.sort((one, other) => other.length - one.length).join('|')
}

export const determiners = setOf(vocabulary.determiners)
const asking = setOf(vocabulary.asking)
const askingStem = atFirstUse(() => new RegExp(anyOf(vocabulary.askingStems)))

/** Whether the word asks for something: "enter", "please". */
export function isAsking(word: string): boolean {
  return asking.has(word) || askingStem().test(word)
}
