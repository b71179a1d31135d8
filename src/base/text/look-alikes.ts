/** Letters of other scripts, each before the Latin letter or digit that it looks like. */
const pairs = `
  аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwӏlкkгrпnьbѵvАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSԚQԜWӀIЗ3б6
  αaοoνvρpιiκkυuγyηnτtωwχxϲcϳjΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX
  օoոnսuհhզqցgաwյjՍUՕOԼLՏS
  ᎪAᎬEᎻHᏔWᎷMᏚSᏢPᎠDᎡRᎢTᎥiᏦKᏞLᏴBᏟCᏀGᎫJᏙVᏃZᎩY
  ıiɑaɡgʋvɩi
`

/** Signs that look like those which part addresses and paths. */
const signs = '⁄/∕/⧸/╱/‐-‑-ː:꞉:∶:․.。.｡.ꓸ.﹒.'

const letters = new Map(pairsOf(pairs.replace(/\s/g, '')))
const others = new Map(pairsOf(signs))

function pairsOf(text: string): [string, string][] {
  const characters = [...text]
  return characters.flatMap((one, index) => (index % 2 === 0 ? [[one, characters[index + 1] as string]] : []))
}

const letter = anyOf(letters)
const sign = anyOf(others)
/** A letter of another script that no Latin letter looks like. */
const genuine = new RegExp(
  `(?!${letter.source})[\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Armenian}\\p{Script=Cherokee}]`,
  'u',
)

function anyOf(table: ReadonlyMap<string, string>): RegExp {
  return new RegExp(`[${[...table.keys()].join('')}]`, 'gu')
}

/**
 * Where text holds characters that pass for others, and for which. A letter of another script counts within a word of
 * Latin letters, and in a word that could be Latin as a whole, unless the text is plainly written in that script.
 */
export function findLookAlikes(text: string): Map<number, string> {
  const found = new Map<number, string>()
  const isForeign = genuine.test(text)
  for (const { 0: token, index: start } of text.matchAll(/\S+/gu)) {
    const isLatinToken = /[a-z]/i.test(token)
    for (const { 0: word, index } of token.matchAll(/[\p{L}\p{M}\p{N}_]+/gu)) {
      const isMixed = /[a-z]/i.test(word)
      const couldBeLatin = !genuine.test(word) && (isLatinToken || !isForeign)
      if (!isMixed && !couldBeLatin) continue
      for (const { 0: character, index: at } of word.matchAll(letter)) {
        found.set(start + index + at, letters.get(character) as string)
      }
    }
  }
  for (const { 0: character, index } of text.matchAll(sign)) found.set(index, others.get(character) as string)
  for (const [index, like] of compatible(text)) found.set(index, like)
  return found
}

/** Wide, bold, script and such forms of plain letters: Unicode itself says which letter they stand for. */
function* compatible(text: string): Iterable<readonly [index: number, like: string]> {
  const known = new Map<string, string>()
  for (const { 0: character, index } of text.matchAll(/[^\0-\xff]/gu)) {
    const like = known.get(character) ?? character.normalize('NFKC')
    known.set(character, like)
    if (/^[!-~]$/.test(like)) yield [index, like]
  }
}
