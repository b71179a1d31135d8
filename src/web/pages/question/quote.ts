import { findLookAlikes } from '../../../base/text/look-alikes.ts'
import { type TextBounds, visibleLine, visibleText } from '../../../base/text/visible-text.ts'
import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'

/** A server's message, marked as a quotation of the server; with `fields`, the labels below it are included. */
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

/** One line of text from outside, such as a name. Hidden characters are marked, and `bdi` isolates its direction. */
export function visible(text: string, characters = 120): Markup {
  return markup`<bdi>${marked(visibleLine(text, characters))}</bdi>`
}

/** Like `visible` but as plain text, for titles and attributes. */
export function visiblePlain(text: string, characters = 120): string {
  return visibleLine(text, characters)
}

/** Whether a text has hidden characters or look-alikes, which an input would not mark. */
export function isDeceptive(text: string): boolean {
  return (
    visibleText(text, { characters: text.length, lines: text.length + 1 }) !== text || findLookAlikes(text).size > 0
  )
}

/** A mark in a text, as `shownText` and `visibleText` write it: a hidden character, or one that passes for another. */
const mark = /‹(U\+[\dA-F]{4,6})›|‹([^‹›\s]{1,20} U\+[\dA-F]{4,6}(?: U\+[\dA-F]{4,6})*), [^‹›]{1,60}›|\p{L}/gu

/** Draws marks, and letters that look like others, as marks of the page. */
function marked(visible: string): Markup {
  const odd = findLookAlikes(visible)
  const parts: unknown[] = []
  let plainFrom = 0
  const put = (at: number, length: number, mark: Markup) => {
    parts.push(visible.slice(plainFrom, at), mark)
    plainFrom = at + length
  }
  for (const { 0: found, 1: code, 2: other, index } of visible.matchAll(mark)) {
    const posing = other ?? (odd.has(index) && code === undefined ? `${found} ${codeOf(found)}` : undefined)
    if (code !== undefined) put(index, found.length, markup`<mark title="A hidden character">${code}</mark>`)
    else if (posing !== undefined)
      put(index, found.length, markup`<mark title="Not the letter it looks like">${posing}</mark>`)
  }
  return markup`${parts}${visible.slice(plainFrom)}`
}

function codeOf(letter: string): string {
  return `U+${(letter.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
}
