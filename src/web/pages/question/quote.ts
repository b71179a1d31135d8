import { type TextBounds, visibleLine, visibleText } from '../../../base/text/visible-text.ts'
import { icons } from '../layout/icons.ts'
import { lookAlikes } from '../layout/look-alikes.ts'
import { type Markup, markup } from '../layout/markup.ts'

/** What a server wrote, in a box that says whose words they are, and that those of the fields below are too. */
export function quotation(
  server: string,
  message: string,
  below: 'fields' | 'none' = 'none',
  bounds?: TextBounds,
): Markup {
  const isEmpty = message.trim() === ''
  if (isEmpty && below === 'none') return markup``
  const what =
    below === 'none' ? 'wrote' : isEmpty ? 'wrote the questions below' : 'wrote this, and the questions below'
  return markup`<figure class="quote"><figcaption>${icons.quote}<span>${visible(server)} ${what}</span></figcaption>
${!isEmpty && markup`<blockquote dir="auto">${marked(visibleText(message, bounds))}</blockquote>`}</figure>`
}

/** A few words of someone else on one line: names, labels, options. They cannot turn the words around them. */
export function visible(text: string, characters = 120): Markup {
  return markup`<bdi>${marked(visibleLine(text, characters))}</bdi>`
}

/** The same where only text can be, such as a title. */
export function visiblePlain(text: string, characters = 120): string {
  return visibleLine(text, characters)
}

/** Whether a reader would miss something about this text in a box that shows it as it is. */
export function isDeceptive(text: string): boolean {
  return visibleText(text, { characters: text.length, lines: text.length + 1 }) !== text || lookAlikes(text).size > 0
}

/** Marks of hidden characters and letters that pose as others stand out from the words. */
function marked(visible: string): Markup {
  const odd = lookAlikes(visible)
  const parts: unknown[] = []
  let plainFrom = 0
  const put = (at: number, length: number, mark: Markup) => {
    parts.push(visible.slice(plainFrom, at), mark)
    plainFrom = at + length
  }
  for (const { 0: found, 1: code, index } of visible.matchAll(/‹(U\+[\dA-F]{4,6})›|\p{L}/gu)) {
    if (code !== undefined) put(index, found.length, markup`<mark title="A hidden character">${code}</mark>`)
    else if (odd.has(index))
      put(index, found.length, markup`<mark title="Not the letter it looks like">${found} ${codeOf(found)}</mark>`)
  }
  return markup`${parts}${visible.slice(plainFrom)}`
}

function codeOf(letter: string): string {
  return `U+${(letter.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
}
