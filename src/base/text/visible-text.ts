/** How much of a stranger's text is shown. */
export interface TextBounds {
  readonly characters: number
  readonly lines: number
}

const messageBounds: TextBounds = { characters: 4_000, lines: 60 }

/** For what the person asked for themselves, such as the result of a tool. */
export const unbounded: TextBounds = { characters: Number.POSITIVE_INFINITY, lines: Number.POSITIVE_INFINITY }

/**
 * Text of a stranger, made harmless to show: no control characters, no escapes, no hidden or turned-around letters.
 * Each of them becomes a mark such as ‹U+202E›; what is too long is cut, and how much is left out is said.
 */
export function visibleText(text: string, { characters, lines }: TextBounds = messageBounds): string {
  const [start, charactersLeft] = cutCharacters(text, characters)
  const marked = isPlain.test(start) ? start : start.replace(styles, '').replace(suspect, markOf)
  const [shown, linesLeft] = cutLines(marked, lines)
  if (charactersLeft > 0) return `${shown}… (${count(charactersLeft, 'more character')})`
  return linesLeft > 0 ? `${shown}\n… (${count(linesLeft, 'more line')})` : shown
}

/** The same on one line: for labels, names and values. */
export function visibleLine(text: string, characters = 200): string {
  return visibleText(text, { characters, lines: Number.POSITIVE_INFINITY }).replaceAll('\n', ' ⏎ ')
}

const isPlain = /^[\n\x20-\x7e]*$/

/** Colours and weights say nothing, and programs add them to what they print: they go without a mark. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
const styles = /\x1b\[[\d;:]{0,40}m/g

const joining = String.raw`\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}`

const suspect = new RegExp(
  [
    // Joiners have a use within emoji and in scripts whose letters join; a variation selector after what it varies.
    String.raw`(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})`,
    String.raw`(?<=[${joining}])[\u200c\u200d](?=[${joining}])`,
    String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]`,
    String.raw`(?<=[\d#*])\ufe0f(?=\u20e3)`,
    String.raw`\r\n`,
    // A letter bears a few marks; a tower of them covers the lines around it.
    String.raw`(?<=\p{M}{4})\p{M}`,
    // U+2800 is a letter that looks like nothing.
    String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`,
    String.raw`\p{Zs}`,
  ]
    .map((part, index) => (index < 4 ? `(?<kept${index}>${part})` : part))
    .join('|'),
  'gu',
)

function markOf(found: string, ...rest: unknown[]): string {
  const groups = rest.at(-1) as Record<string, string | undefined>
  if (Object.values(groups).some((kept) => kept !== undefined)) return found
  if (found === '\n' || found === '\r\n') return '\n'
  if (found === '\t') return '    '
  if (/^\p{Zs}$/u.test(found)) return ' '
  return `‹U+${(found.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}›`
}

function cutCharacters(text: string, most: number): readonly [start: string, left: number] {
  if (text.length <= most) return [text, 0]
  const start = text.slice(0, most)
  // No half of a pair: it would be shown as a character that the text does not hold.
  const whole = /[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start
  return [whole, text.length - whole.length]
}

function cutLines(text: string, most: number): readonly [start: string, left: number] {
  const lines = text.split('\n')
  return lines.length <= most ? [text, 0] : [lines.slice(0, most).join('\n'), lines.length - most]
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}
