/** Scripts in everyday use, and those whose letters are known to pass for Latin ones. */
const names = [
  ...['Latin', 'Cyrillic', 'Greek', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo', 'Arabic', 'Hebrew'],
  ...['Devanagari', 'Bengali', 'Gujarati', 'Gurmukhi', 'Kannada', 'Malayalam', 'Oriya', 'Sinhala', 'Tamil', 'Telugu'],
  ...['Thai', 'Lao', 'Khmer', 'Myanmar', 'Tibetan', 'Thaana', 'Ethiopic', 'Georgian', 'Armenian'],
  ...['Cherokee', 'Coptic', 'Deseret', 'Lisu', 'Osage', 'Tifinagh', 'Warang_Citi'],
]
const scripts = names.map(
  (name) => [name.replace('_', ' '), new RegExp(`\\p{Script_Extensions=${name}}`, 'u')] as const,
)
const isShared = /[\p{Script_Extensions=Common}\p{Script_Extensions=Inherited}]/u

/** Languages that are written in several scripts, by the scripts of each (UTS 39, section 5.1). */
const languages: Readonly<Record<string, readonly string[]>> = {
  Chinese: ['Han', 'Bopomofo'],
  Japanese: ['Han', 'Hiragana', 'Katakana'],
  Korean: ['Han', 'Hangul'],
}

const known = new Map<string, readonly string[]>()
const mostKnown = 20_000

/** The scripts, and the languages of several scripts, that a character is written in; undefined if it is in all of them. */
function scriptsOf(character: string): readonly string[] | undefined {
  if (isShared.test(character)) return undefined
  const before = known.get(character)
  if (before !== undefined) return before
  const own = scripts.filter(([, pattern]) => pattern.test(character)).map(([name]) => name)
  const joined = Object.keys(languages).filter((language) => own.some((name) => languages[language]?.includes(name)))
  const found = own.length === 0 ? ['another script'] : [...own, ...joined]
  if (known.size >= mostKnown) known.clear()
  known.set(character, found)
  return found
}

interface Letter {
  readonly index: number
  readonly character: string
  readonly scripts: readonly string[]
}

/**
 * The characters of a word that are not of its script, each by its position, with the script that it is of. The rule is
 * that of UTS 39 for mixed scripts: Chinese, Japanese and Korean are each one script, also together with Latin.
 */
export function otherScripts(word: string): Map<number, string> {
  const letters = lettersOf(word)
  const others = letters.filter(({ scripts }) => !scripts.includes('Latin'))
  const isMixed = shared(letters).length === 0 && !(others.length < letters.length && isOneLanguage(others))
  const main = others.length < letters.length ? 'Latin' : mostUsed(letters)
  const strangers = isMixed ? letters.filter(({ scripts }) => !scripts.includes(main)) : otherDigits(word, letters)
  return new Map(strangers.map(({ index, scripts: [script = ''] }) => [index, script]))
}

function lettersOf(word: string): Letter[] {
  const letters: Letter[] = []
  let index = 0
  for (const character of word) {
    const scripts = scriptsOf(character)
    if (scripts !== undefined) letters.push({ index, character, scripts })
    index += character.length
  }
  return letters
}

/** What all letters have in common; a word without letters has no script that could be missing. */
function shared([first, ...others]: readonly Letter[]): readonly string[] {
  if (first === undefined) return ['any']
  let left = first.scripts
  for (const { scripts } of others) {
    if (scripts !== left) left = left.filter((name) => scripts.includes(name))
  }
  return left
}

function isOneLanguage(letters: readonly Letter[]): boolean {
  return shared(letters).some((name) => Object.hasOwn(languages, name))
}

function mostUsed(letters: readonly Letter[]): string {
  const counts = new Map<string, number>()
  for (const { scripts } of letters) for (const name of scripts) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['', 0])[0]
}

/** Digits of another script beside 0 to 9: some of them look like another of these. */
function otherDigits(word: string, letters: readonly Letter[]): Letter[] {
  return /[0-9]/.test(word) ? letters.filter(({ character }) => /\p{Nd}/u.test(character)) : []
}
