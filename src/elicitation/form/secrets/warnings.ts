import { clauseEnd, determiners, isAsking, sentenceEnd, setOf, type Words } from './plain-words.ts'
import * as vocabulary from './secret-words.ts'

/** A credential's word, from `start` up to but without `end`. */
export interface Match {
  readonly start: number
  readonly end: number
  readonly word: string
}

const negations = setOf(vocabulary.negations)
const undoing = setOf(vocabulary.undoing)
const warned = setOf(vocabulary.warned)
const alternatives = setOf(vocabulary.alternatives)
const turning = setOf(vocabulary.turning)

/**
 * Whether the words before warn of telling the secret. Only small words may stand between "not" and the secret, so that
 * "do not forget your password" is refused; or the items of a list.
 */
export function isWarned(words: Words, match: Match, sparedEnd: number): boolean {
  const isListed = words[sparedEnd] === 'or'
  if (isListed && words.slice(sparedEnd + 1, match.start).every((word) => determiners.has(word))) return true

  for (let before = match.start - 1; before >= 0 && match.start - before <= 8; before -= 1) {
    const word = words[before] as string
    if (isNegation(words, before)) return isNegated(words, before)
    if (!warned.has(word) && !determiners.has(word)) break
  }
  return isInWarnedList(words, match)
}

/** A list is looked for in this many words before and after, or a long text full of secrets would be read over and over. */
const farthest = 40
const longestItem = 5

/**
 * "Do not give us your phone number, pin, or other sensitive info": a negation governs the whole list after its verb. It is
 * a list only where `or` joins its last item, where no item is long, and where no word among them turns the sense.
 */
function isInWarnedList(words: Words, { start, end }: Match): boolean {
  const near = words.slice(Math.max(0, start - farthest), start)
  const verb = near.findLastIndex((word, at) => warned.has(word) && isNegated(near, at - 1))
  if (verb < 0) return false
  const before = near.slice(verb + 1)
  const after = upToLastItem(words.slice(end, end + farthest))
  const joint = before.findIndex((word) => alternatives.has(word))
  // "Do not share your name or age, your PIN": the list has ended before.
  if (joint >= 0 && before.includes(clauseEnd, joint)) return false
  return (joint >= 0 || after.length > 0) && areItems([...before, 'secret', ...after])
}

/** The rest of a list whose `or` is still to come, up to the end of the item that it joins. */
function upToLastItem(after: Words): Words {
  const joint = after.findIndex((word) => alternatives.has(word))
  if (joint < 0) return []
  const close = after.findIndex((word, at) => at > joint && (word === clauseEnd || word === sentenceEnd))
  return after.slice(0, close < 0 ? undefined : close)
}

function areItems(words: Words): boolean {
  let length = 0
  for (const word of words) {
    if (word === sentenceEnd || turning.has(word) || isAsking(word)) return false
    length = word === clauseEnd || alternatives.has(word) ? 0 : length + 1
    if (length > longestItem) return false
  }
  return true
}

/** `don't` is read as two words. */
function isNegation(words: Words, at: number): boolean {
  return negations.has(words[at] === 't' ? `${words[at - 1]}t` : (words[at] ?? ''))
}

/** "not", unless a word before it undoes it: "why not". */
function isNegated(words: Words, at: number): boolean {
  return isNegation(words, at) && !undoing.has(words[at - (words[at] === 't' ? 2 : 1)] ?? '')
}
