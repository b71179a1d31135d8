/**
 * Which letters of a text pose as other ones, by their place in it: letters of a second script within a Latin word, whole
 * words of twins in a text that is otherwise Latin, and letters in fancy dress such as 𝐚 or ａ.
 */
export function lookAlikes(text: string): ReadonlySet<number> {
  const found = new Set<number>()
  const words = [...text.matchAll(/[\p{L}\p{M}]+/gu)]
  const isOtherScript = words.some(([word]) => !latin.test(word) && [...word].some(isForeign))
  for (const { 0: word, index } of words) {
    const isPosing = latin.test(word) || (!isOtherScript && words.some(([other]) => latin.test(other)))
    let at = index
    for (const letter of word) {
      if (isDressed(letter) || (isPosing && twins.has(letter))) found.add(at)
      at += letter.length
    }
  }
  return found
}

const latin = /\p{Script=Latin}/u

/** Cyrillic, Greek, Armenian and Cherokee letters that are drawn like Latin ones. */
const twins = new Set('аеорсухіјѕһԁԛԝӏѵԍАВЕЅІЈКМНОРСТУХҮԌԜᴀοανρικυτχγωΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳօսոհցզքՕՍՏᎪᎬᎻᎫᏦᏞᎷᏃᏢᏚᎢᏙᎳᏴᏟᎠ')

/** A letter that only its own script has: whoever uses it writes in that script. */
function isForeign(letter: string): boolean {
  return /\p{L}/u.test(letter) && !latin.test(letter) && !twins.has(letter)
}

/** Mathematical, fullwidth and circled forms are the plain letter to a reader. */
function isDressed(letter: string): boolean {
  return letter.charCodeAt(0) > 0x2000 && /^[a-z]$/i.test(letter.normalize('NFKC'))
}
