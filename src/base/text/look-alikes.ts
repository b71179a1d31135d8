import { otherScripts } from './scripts.ts'

/** Letters, each before the Latin letter or digit that it looks like. */
const pairs = `
  аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwӏlкkгrпnьbѵvԍGАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSԚQԜWӀIԌGҮYЗ3б6
  αaοoνvρpιiκkυuγyηnτtωwχxϲcϳjΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϹC
  օoոnսuհhզqցgքpաwյjՍUՕOԼLՏS
  ᎪAᎬEᎻHᎳWᏔWᎷMᏚSᏕSᏢPᎠDᎡRᎢTᎥiᏦKᏞLᏴBᏟCᏀGᎫJᏙVᏃZᎩY
  ꭺAꭼEꮋHꮃWꮤWꮇMꮪSꮥSꮲPꭰDꭱRꭲTꭵiꮶKꮮLᏼBꮯCꮐGꭻJꮩVꮓZꭹY
  ⲀAⲂBⲈEⲎHⲒIⲔKⲘMⲚNⲞOⲢPⲤCⲦTⲨYⲬXⲁaⲉeⲏhⲓiⲕkⲙmⲛnⲟoⲣpⲥcⲧtⲩyⲭxⲱw
  ꓐBꓑPꓒdꓓDꓔTꓖGꓗKꓙJꓚCꓜZꓝFꓟMꓠNꓡLꓢSꓣRꓦVꓧHꓪWꓫXꓬYꓮAꓰEꓲIꓳOꓴU
  ⵔOⵏlⵝXⴸVⴹEⵕQ
  𐐄O𐐕C𐐛L𐐠S𐐬o𐐽c𐑈s𐒴R𐓂O𐓎U𐓪o𐓶u
  𑢠V𑢢F𑢣L𑢤Y𑢦E𑢩Z𑢮E𑢲L𑢵O𑢸U𑢻T𑣀v𑣁s𑣂F𑣃i𑣄z𑣆7𑣈o𑣗o𑣘u𑣜y
  ᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpꞯqʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz
  ıiɑaɡgʋvɩiǀlǃ!
`

/** Signs that look like those which part addresses, paths and commands. */
const signs = '⁄/∕/⧸/╱/⟋/〳/㇓/᜵/∖\\⟍\\⧵\\⧹\\╲\\‐-‑-˗-ː:꞉:∶:˸:⁚:׃:։:܃:܄:ꓽ:․.。.｡.ꓸ.﹒.܁.܂.∣|׀|ⵑ!'

/** East Asian characters that look like such a sign, where nothing around them is East Asian. */
const strokes = 'ノ/丿/一-ー-丨|ㅣ|〇O'

const letters = new Map(pairsOf(pairs.replace(/\s/g, '')))
const others = new Map(pairsOf(signs))
const lines = new Map(pairsOf(strokes))

function pairsOf(text: string): [string, string][] {
  const characters = [...text]
  return characters.flatMap((one, index) => (index % 2 === 0 ? [[one, characters[index + 1] as string]] : []))
}

const letter = anyOf(letters)
const sign = anyOf(others)
const stroke = anyOf(lines)

const anyScript = (...names: readonly string[]) => names.map((name) => `\\p{Script_Extensions=${name}}`).join('')
const posing = anyScript('Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu', 'Tifinagh', 'Deseret', 'Osage')

/** A letter of a script that has look-alikes, which is none of them. */
const genuine = new RegExp(`(?!${letter.source})[[${posing}\\p{Script=Warang_Citi}]&&\\p{L}]`, 'v')

const eastAsian = `[[${anyScript('Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo')}]&&\\p{L}]`
const otherEastAsian = new RegExp(`(?!${stroke.source})${eastAsian}`, 'v')

const wide = '[。｡！，：；？．／（）]'

/** Punctuation of a script after a letter of that script, and wide punctuation between East Asian letters. */
const atHome = new RegExp(
  [
    String.raw`(?<=\p{Script=Armenian})։`,
    String.raw`(?<=\p{Script=Hebrew})[׃׀]`,
    String.raw`(?<=\p{Script=Syriac})[܁-܄]`,
    String.raw`(?<=\p{Script=Lisu})[ꓸꓽ]`,
    String.raw`(?<=\p{Script=Tifinagh})ⵑ`,
    String.raw`(?<=${eastAsian}${wide}{0,2})${wide}(?=${wide}{0,2}(?:${eastAsian}|[\s”’」』]|$))`,
  ].join('|'),
  'gv',
)

function anyOf(table: ReadonlyMap<string, string>): RegExp {
  return new RegExp(`[${[...table.keys()].join('')}]`, 'gu')
}

/** What a character of a text passes for, or is out of place by: a letter or sign that it looks like, else its script. */
export type Oddity = { readonly like: string } | { readonly script: string }

/**
 * Where text holds characters that pass for others, and letters of another script than the rest of their word (UTS 39).
 * A letter that looks like a Latin one also counts in a word that could be Latin as a whole, unless the text is plainly
 * written in that script.
 */
export function findLookAlikes(text: string): Map<number, Oddity> {
  const found = new Map<number, Oddity>()
  if (isAscii.test(text)) return found
  const isForeign = genuine.test(text)
  for (const { 0: token, index: start } of text.matchAll(/\S+/gu)) {
    if (isAscii.test(token)) continue
    const isLatinToken = /[a-z]/i.test(token)
    for (const { 0: word, index } of token.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
      if (isAscii.test(word)) continue
      for (const [at, script] of otherScripts(word)) found.set(start + index + at, { script })
      const isMixed = /[a-z]/i.test(word)
      const couldBeLatin = !genuine.test(word) && (isLatinToken || !isForeign)
      if (isMixed || couldBeLatin) add(found, word, start + index, letter, letters)
    }
    const isPlainToken = /[a-z\d]/i.test(token) && !otherEastAsian.test(token)
    if (isPlainToken) add(found, token, start, stroke, lines)
  }
  add(found, text, 0, sign, others)
  for (const [index, like] of compatible(text)) found.set(index, { like })
  for (const { index } of text.matchAll(atHome)) found.delete(index)
  return found
}

const isAscii = /^[\0-\x7f]*$/

function add(
  found: Map<number, Oddity>,
  text: string,
  start: number,
  pattern: RegExp,
  table: ReadonlyMap<string, string>,
): void {
  for (const { 0: one, index } of text.matchAll(pattern)) found.set(start + index, { like: table.get(one) as string })
}

/** Wide, bold, joined and such forms of plain letters: Unicode itself says which letters they stand for. */
function* compatible(text: string): Iterable<readonly [index: number, like: string]> {
  const known = new Map<string, string>()
  for (const { 0: character, index } of text.matchAll(/[^\0-\xff]/gu)) {
    const like = known.get(character) ?? character.normalize('NFKC')
    known.set(character, like)
    if (/^[!-~]$/.test(like) || (/^[a-z]+$/i.test(like) && /\p{L}/u.test(character))) yield [index, like]
  }
}
