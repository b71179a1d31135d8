import * as vocabulary from './secret-words.ts'

/** Ends a clause: what follows says nothing about the words before. */
export const clauseEnd = ','
/** Ends a sentence. */
export const sentenceEnd = '.'

/**
 * The words of a text as a person reads them, whatever it takes to read them so: without case, accents, unseen
 * characters, look-alike letters and digits for letters; `clauseEnd` and `sentenceEnd` stand among them.
 * There are two readings where they differ: `apiKey2` is `apikey`, and it is `api key 2`. Takes linear time.
 */
export function plainWords(text: string): readonly (readonly string[])[] {
  const joined: string[] = []
  const split: string[] = []
  for (const chunk of spelledTogether(plain(text).match(chunks) ?? [])) {
    if (isSign(chunk)) {
      const end = sentenceEnds.test(chunk) ? sentenceEnd : clauseEnd
      joined.push(end)
      split.push(end)
    } else if (isOneWord.test(chunk) || !hasParts.test(chunk)) {
      const word = chunk.toLowerCase()
      joined.push(word)
      split.push(word)
    } else {
      joined.push(withoutLeet(chunk).toLowerCase())
      for (const [part] of chunk.matchAll(parts)) split.push(part.toLowerCase())
    }
  }
  return isSame(joined, split) ? [joined] : [joined, split]
}

const isAscii = /^[\0-\x7f]*$/
const isOneWord = /^[A-Za-z][a-z]*$/
const hasParts = /\P{Lu}\p{Lu}|\p{Lu}{2}\p{Ll}|[\p{N}$@!|+]/u
const sentenceEnds = /[.?!\n。।؟]/

// The counts are bounded so that a long row of signs cannot make the search start over at each of them.
const word = /[$@!|+]{0,3}[\p{L}\p{M}\p{N}]+(?:[$@!|+]{1,3}[\p{L}\p{M}\p{N}]+)*/u
const sign = /[.?!](?!\S)|[\n。।؟]|[,;:()[\]"—–/、،]|(?<=\s)-(?=\s)/u
const chunks = new RegExp(`${word.source}|${sign.source}`, 'gu')

const parts = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}\p{N}$@!|+]+|\p{N}+/gu

// Voicing marks make another kana, and vowel signs another syllable; all other marks only adorn a letter.
const unseen = /(?![\u3099\u309a])[\p{Script=Inherited}\p{Default_Ignorable_Code_Point}\p{Cf}]/gu
const adorned = /(?<=[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}])\p{M}+/gu

function plain(text: string): string {
  if (isAscii.test(text)) return text
  return text
    .normalize('NFKD')
    .replace(unseen, '')
    .replace(adorned, '')
    .normalize('NFC')
    .replace(/[^\0-\x7f]/gu, (letter) => lookAlikes.get(letter) ?? letter)
}

/** `p.a.s.s` and `p, a, s, s` are one word. Two single letters in a row are common in prose, three are not. */
function spelledTogether(all: readonly string[]): readonly string[] {
  const together: string[] = []
  let run: string[] = []
  for (const chunk of all) {
    if (chunk.length === 1) {
      run.push(chunk)
      continue
    }
    for (const joined of joinedRun(run)) together.push(joined)
    together.push(chunk)
    run = []
  }
  return together.concat(joinedRun(run))
}

function joinedRun(run: readonly string[]): readonly string[] {
  const letters = run.filter((chunk) => !isSign(chunk))
  if (letters.length < 3) return run
  const after = run.slice(run.lastIndexOf(letters.at(-1) as string) + 1)
  return [letters.join('').toLowerCase(), ...after]
}

/** A sign that ends something; all others are within a word or were left out. */
function isSign(chunk: string): boolean {
  return chunk.length === 1 && /[^\p{L}\p{M}\p{N}]/u.test(chunk)
}

const leet: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b' },
  ...{ '@': 'a', $: 's', '!': 'i', '|': 'i', '+': 't' },
}

/** Digits after a word count it (`token2`); digits and signs within it spell it (`t0k3n`). */
function withoutLeet(chunk: string): string {
  const word = chunk.replace(/(?<=\p{L})\p{N}+$/u, '')
  if (!/\p{L}/u.test(word)) return word
  return word.replace(/[\d@$!|+]/g, (sign) => leet[sign] ?? sign)
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, index) => word === other[index])
}

/**
 * What looks the same is read the same, in every word of every script: the vocabulary goes through here as well, so
 * Russian words still match Russian words. Capitals come first, for a Greek capital Nu is an N and a small one a v.
 */
const lookAlikes: ReadonlyMap<string, string> = new Map([
  ...pairs('АВЕКМНОРСТУХІЅЈԀԚԜҺӀ', 'ABEKMHOPCTYXISJDQWHI'),
  ...pairs('аекмнорстухвіѕјԁԛԝһӏ', 'aekmhopctyxbisjdqwhl'),
  ...pairs('ΑΒΕΖΗΙΚΜΝΟΡΤΥΧΣ', 'ABEZHIKMNOPTYXσ'),
  ...pairs('αβεηικνορτυχς', 'abenikvoptuxσ'),
  ...pairs('ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ', 'abcdefghijklmnoprstuvwyz'),
  ...pairs('øØłŁđĐðħıȷɑɡɩƒʋƦօսհ', 'oOlLdDdhijagifvRouh'),
  ...[0x1f150, 0x1f170, 0x1f1e6].flatMap(alphabetFrom),
  ...([
    ['ß', 'ss'],
    ['ẞ', 'SS'],
    ['æ', 'ae'],
    ['Æ', 'AE'],
    ['œ', 'oe'],
    ['Œ', 'OE'],
    ['þ', 'th'],
  ] as const),
])

function pairs(look: string, letters: string): [string, string][] {
  return Array.from(look, (letter, index) => [letter, letters.charAt(index)])
}

/** Letters in discs, boxes and flags, which Unicode does not fold. */
function alphabetFrom(first: number): [string, string][] {
  return Array.from('abcdefghijklmnopqrstuvwxyz', (letter, index) => [String.fromCodePoint(first + index), letter])
}

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
