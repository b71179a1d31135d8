import type { Json, JsonObject } from '../json.ts'
import { findLookAlikes } from './look-alikes.ts'

/** Text for an approver in pieces, so that what hides or passes for another character stands out. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'hidden'; readonly code: string }
  | { readonly kind: 'look-alike'; readonly text: string; readonly code: string; readonly like: string }

/** One argument as an approver sees it. */
export interface ShownArgument {
  readonly name: readonly Piece[]
  /** Text stands as it is; all else as JSON. */
  readonly kind: 'text' | 'json'
  readonly value: readonly Piece[]
}

/**
 * What can hide, turn text around or stand for nothing, and the top of a tower of marks. Stricter than text that is
 * merely shown: here every character is going to run, so all blanks but the plain ones are marked too.
 */
const hidden = /(?![ \n\t])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]|(?<=\p{M}{4})\p{M}/gu
const isPlain = /^[\n\t\x20-\x7e]*$/

/** Every character of the text, in order, none left out. */
export function showText(text: string): Piece[] {
  const marks = isPlain.test(text) ? [] : marksIn(text)
  const pieces: Piece[] = []
  let shown = 0
  const showUpTo = (end: number) => {
    if (end > shown) pieces.push({ kind: 'text', text: text.slice(shown, end) })
  }
  for (const [start, piece, length] of marks) {
    showUpTo(start)
    pieces.push(piece)
    shown = start + length
  }
  showUpTo(text.length)
  return pieces
}

type Mark = readonly [start: number, piece: Piece, length: number]

function marksIn(text: string): Mark[] {
  const marks = new Map<number, Mark>()
  for (const [start, like] of findLookAlikes(text)) {
    const character = characterAt(text, start)
    marks.set(start, [start, { kind: 'look-alike', text: character, code: codeOf(character), like }, character.length])
  }
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (!joinsEmoji(character, text, index)) {
      marks.set(index, [index, { kind: 'hidden', code: codeOf(character) }, character.length])
    }
  }
  return [...marks.values()].sort(([one], [other]) => one - other)
}

function characterAt(text: string, index: number): string {
  return String.fromCodePoint(text.codePointAt(index) as number)
}

/** The pieces as one text, such as `pay‹U+202E›` or `‹а U+0430, not a›`. */
export function shownText(pieces: readonly Piece[]): string {
  return pieces.map(shownPiece).join('')
}

/** Every argument made visible, in the order of the call. */
export function showArguments(given: JsonObject): ShownArgument[] {
  return Object.entries(given).flatMap(([name, value]): ShownArgument[] => {
    if (value === undefined) return []
    const shown = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
    return [{ name: showText(name), kind: typeof value === 'string' ? 'text' : 'json', value: showText(shown) }]
  })
}

/** Whether a value, names and all, holds nothing that hides or passes for another character. */
export function isInPlainSight(value: Json): boolean {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return showText(text).every(({ kind }) => kind === 'text')
}

/** A joiner between two pictures, or a selector after one, belongs to the picture. */
function joinsEmoji(character: string, text: string, index: number): boolean {
  if (character !== '\u200d' && character !== '\ufe0f') return false
  const isAfterPicture = /\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?$/u.test(
    text.slice(Math.max(0, index - 5), index),
  )
  if (!isAfterPicture || character === '\ufe0f') return isAfterPicture && text[index - 1] !== '\ufe0f'
  return /^\p{Extended_Pictographic}/u.test(text.slice(index + 1, index + 3))
}

function shownPiece(piece: Piece): string {
  switch (piece.kind) {
    case 'text':
      return piece.text
    case 'hidden':
      return `‹${piece.code}›`
    case 'look-alike':
      return `‹${piece.text} ${piece.code}, not ${piece.like}›`
  }
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
}
