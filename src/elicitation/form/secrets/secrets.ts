import { AssentError } from '../../../base/errors.ts'
import { isChoice } from '../options.ts'
import type { Field, FormSchema } from '../schema.ts'
import {
  anyOf,
  atFirstUse,
  clauseEnd,
  determiners,
  isAsking,
  mapOf,
  plainWords,
  sentenceEnd,
  setOf,
  type Words,
} from './plain-words.ts'
import * as vocabulary from './secret-words.ts'
import { isWarned, type Match } from './warnings.ts'

/** Where a form asks for a credential, and the word that gave it away. */
export interface SecretAsk {
  readonly field?: string
  readonly where: 'name' | 'title' | 'description' | 'format' | 'message'
  readonly word: string
}

/** E11-01: a form asks for a credential. */
export class FormAsksSecret extends AssentError {
  readonly code = 'form_asks_secret'

  constructor({ field, where, word }: SecretAsk) {
    const place = field === undefined ? 'The message of this form' : `The field ${JSON.stringify(field)}`
    super(`${place} asks for a secret. Ask for it by url instead.`, { detail: `${where} says ${JSON.stringify(word)}` })
  }
}

/** Refuses a form that asks for a credential: that is asked for by url (E11-02). */
export function refuseSecrets(schema: FormSchema, message: string): void {
  const ask = findSecretAsk(schema, message)
  if (ask !== undefined) throw new FormAsksSecret(ask)
}

/**
 * The first credential that a form asks for, if any. Names and titles count wherever they speak of one, descriptions
 * unless they warn of it, a message only where it asks. A guard against mistakes and plain phishing: whoever describes
 * a password without any word for it gets past.
 */
export function findSecretAsk(schema: FormSchema, message: string): SecretAsk | undefined {
  let takesText = false
  for (const [name, field] of Object.entries(schema.properties)) {
    // Nobody can tell a secret by ticking a box.
    if (field.type === 'boolean' || isChoice(field) || isSmallNumber(field)) continue
    takesText = true
    const ask = findInField(name, field)
    if (ask !== undefined) return { field: name, ...ask }
  }
  const word = takesText ? inReadings(message, findInMessage) : undefined
  return word === undefined ? undefined : { where: 'message', word }
}

/** A number up to 100 that has a suggestion, such as the pin of a board: too small to be a secret. */
function isSmallNumber({ type, default: suggested, ...field }: Field): boolean {
  return type === 'integer' && suggested !== undefined && 'maximum' in field && Number(field.maximum) <= mostHarmless
}

const mostHarmless = 100

function findInField(name: string, field: Field): SecretAsk | undefined {
  // A checked form has neither of these; but whoever writes them says what they are after.
  const { format, writeOnly } = field as { format?: unknown; writeOnly?: unknown }
  if (writeOnly === true) return { where: 'format', word: 'writeOnly' }

  const labels = { name, title: field.title, format: typeof format === 'string' ? format : undefined }
  for (const where of ['name', 'title', 'format'] as const) {
    const word = inReadings(labels[where] ?? '', findInLabel)
    if (word !== undefined) return { where, word }
  }
  // "We send your new password to this address": what must be an address or a day cannot be the password.
  if (format === 'email' || format === 'date' || format === 'date-time') return undefined
  const word = inReadings(field.description ?? '', findInProse)
  return word === undefined ? undefined : { where: 'description', word }
}

function inReadings(text: string, find: (words: Words) => string | undefined): string | undefined {
  for (const words of plainWords(text)) {
    const word = find(words)
    if (word !== undefined) return word
  }
  return undefined
}

function findInLabel(words: Words): string | undefined {
  return loneWords.get(words.join('')) ?? findMatch(words, () => false)?.word
}

/** Prose may warn: "never enter your password here". Warnings are known in English only, others are refused. */
function findInProse(words: Words): string | undefined {
  return findMatch(words, isWarned)?.word
}

/** Sentence by sentence, for "Rotate the API key of X" merely mentions what "Paste your API key" asks for. */
function findInMessage(words: Words): string | undefined {
  for (let start = 0; start < words.length; ) {
    const end = words.indexOf(sentenceEnd, start)
    const sentence = words.slice(start, end < 0 ? undefined : end)
    const match = findMatch(sentence, isWarned)
    if (match !== undefined && (sentence.some(isAsking) || isLabel(sentence, match))) return match.word
    start += sentence.length + 1
  }
  return undefined
}

/** "Your API key:" or "API key for Stripe" asks without a verb; a whole sentence without one merely tells. */
function isLabel(words: Words, { start, end }: Match): boolean {
  const next = words[end] ?? clauseEnd
  const endsSoon = next === clauseEnd || (joiners.has(next) && words.length - end <= 3)
  return endsSoon && words.slice(0, start).every((word) => determiners.has(word) || questionWords.has(word))
}

/** The first credential that nothing around it makes harmless and `isSpared` does not spare. */
function findMatch(words: Words, isSpared: (words: Words, match: Match, sparedEnd: number) => boolean) {
  let sparedEnd = -1
  for (let start = 0; start < words.length; ) {
    const match = matchAt(words, start)
    if (match !== undefined && !isHarmless(words, match)) {
      if (!isSpared(words, match, sparedEnd)) return match
      sparedEnd = match.end
    }
    start = match?.end ?? start + 1
  }
  return undefined
}

/** The longest phrase that starts here, or a stem within the word. */
function matchAt(words: Words, start: number): Match | undefined {
  let text = words[start] as string
  let word = whole.get(text)
  let end = start + 1
  for (let next = end; next < words.length && beginnings().has(text); next += 1) {
    text += words[next]
    const phrase = phrases.get(text)
    if (phrase === undefined) continue
    word = phrase
    end = next + 1
  }
  word ??= stemIn(words[start] as string)
  return word === undefined ? undefined : { start, end, word }
}

/** Of a word in one piece: `userpassword` holds a stem, while `passwordlength` is harmless. */
function stemIn(word: string): string | undefined {
  const { stem, stems, harmlessFront } = patterns()
  if (!stem.test(word)) return undefined
  for (const { 0: found, 1: after, index } of word.matchAll(stems)) {
    if (after === undefined && !harmlessFront.test(word.slice(Math.max(0, index - longestFront), index))) return found
  }
  return undefined
}

/** Whether the words around say that it is about the secret, and not the secret itself. */
function isHarmless(words: Words, { start, end, word: found }: Match): boolean {
  if (harmlessPhrases.has(found) || harmlessAfter.has(words[end] ?? '')) return true
  let before = start - 1
  let isJoined = false
  for (; before >= 0 && start - before <= 4; before -= 1) {
    const word = words[before] as string
    if (!joiners.has(word) && !determiners.has(word)) break
    isJoined ||= joiners.has(word)
  }
  const head = words[before] ?? ''
  const isPlural = (words[end - 1] as string).endsWith('s')
  return (isPlural && countingHeads.has(head)) || (isJoined ? harmlessHeads : harmlessVerbs).has(head)
}

const isPhrase = (word: string) => word.includes(' ')
// A short word in two pieces is chance: "to Ken", "p in percent".
const isJoinable = (word: string) => isPhrase(word) || word.length >= 8 || !/[a-zа-я]/.test(word)

const withPlurals = (list: Words) => [...list, ...list.filter(isPhrase).map((word) => `${word}s`)]

const everything = [...vocabulary.stems, ...withPlurals([...vocabulary.words, ...vocabulary.harmlessPhrases])]
const harmlessPhrases = new Set(withPlurals(vocabulary.harmlessPhrases))
const whole = mapOf([...everything, ...vocabulary.endings])
const phrases = mapOf(everything.filter(isJoinable))
/** Whatever a phrase can start with, so that most words are looked up once and no more. */
const beginnings = atFirstUse(
  () => new Set([...phrases.keys()].flatMap((text) => Array.from(text, (_, end) => text.slice(0, end)))),
)
const loneWords = mapOf(vocabulary.loneWords)

const harmlessAfter = setOf(vocabulary.harmlessAfter)
const harmlessVerbs = setOf(vocabulary.harmlessVerbs)
const harmlessHeads = setOf(vocabulary.harmlessHeads)
const countingHeads = setOf(vocabulary.countingHeads)
const joiners = setOf(vocabulary.joiners)
const questionWords = setOf(vocabulary.questionWords)

// Ten letters in a row are no chance either: `userverificationcode`.
const isLong = (word: string) => isPhrase(word) && word.length > 10
const patterns = atFirstUse(() => {
  const stem = anyOf([...vocabulary.stems, ...vocabulary.words.filter(isLong)])
  const ending = `(?:${anyOf(vocabulary.endings)})$`
  const harmlessRest = `(?:${anyOf(vocabulary.harmlessAfter)})+$|${anyOf(vocabulary.harmlessEndings)}`
  const front = anyOf([...vocabulary.harmlessHeads, ...vocabulary.countingHeads])
  return {
    stem: new RegExp(`${stem}|${ending}`),
    stems: new RegExp(`(?:${stem})(${harmlessRest})?|${ending}`, 'g'),
    harmlessFront: new RegExp(`(?:${front})of$`),
  }
})
// A front is looked for in this many letters, or a long word full of stems would be read over and over.
const longestFront = 24
