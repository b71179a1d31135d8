/**
 * The positions of letters that look like other letters: letters of another script within a Latin word, words made only
 * of such letters in a Latin text, and styled forms such as 𝐚 or ａ.
 */
export function lookAlikes(text: string): ReadonlySet<number> {
  const found = new Set<number>()
  const words = [...text.matchAll(/[\p{L}\p{M}]+/gu)]
  const isOtherScript = words.some(([word]) => !latin.test(word) && [...word].some(isForeign))
  for (const { 0: word, index } of words) {
    const isPosing = latin.test(word) || (!isOtherScript && words.some(([other]) => latin.test(other)))
    let at = index
    for (const letter of word) {
      if (isStyled(letter) || (isPosing && twins.has(letter))) found.add(at)
      at += letter.length
    }
  }
  return found
}

const latin = /\p{Script=Latin}/u

/** Cyrillic, Greek, Armenian and Cherokee letters that look like Latin ones. */
const twins = new Set('аеорсухіјѕһԁԛԝӏѵԍАВЕЅІЈКМНОРСТУХҮԌԜᴀοανρικυτχγωΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳօսոհցզքՕՍՏᎪᎬᎻᎫᏦᏞᎷᏃᏢᏚᎢᏙᎳᏴᏟᎠ')

/** Whether a letter of another script looks like no Latin letter: then the text is written in that script. */
function isForeign(letter: string): boolean {
  return /\p{L}/u.test(letter) && !latin.test(letter) && !twins.has(letter)
}

/** Whether it is a mathematical, fullwidth or circled form, which readers take for the plain letter. */
function isStyled(letter: string): boolean {
  return letter.charCodeAt(0) > 0x2000 && /^[a-z]$/i.test(letter.normalize('NFKC'))
}
