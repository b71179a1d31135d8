import { isPlainObject, type Json, type JsonObject } from '../json.ts'
import { findLookAlikes, type Oddity } from './look-alikes.ts'

/** Text for an approver in pieces, so that what hides or passes for another character stands out. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'hidden'; readonly code: string }
  | { readonly kind: 'look-alike'; readonly text: string; readonly code: string; readonly like: string }
  /** A letter of another script than the rest of its word. */
  | { readonly kind: 'other-script'; readonly text: string; readonly code: string; readonly script: string }
  /** Characters that Unicode writes in another way (NFC): they look like `usual`, and are not equal to it. */
  | { readonly kind: 'not-composed'; readonly text: string; readonly code: string; readonly usual: string }

/** One argument as an approver sees it. */
export interface ShownArgument {
  readonly name: readonly Piece[]
  /** Text stands as it is; all else as JSON. */
  readonly kind: 'text' | 'json'
  readonly value: readonly Piece[]
}

/**
 * What can hide, turn text around or stand for nothing, the top of a tower of marks, and what imitates one of our marks.
 * Stricter than text that is merely shown: here every character is going to run, so all blanks but the plain ones are
 * marked too.
 */
const hidden =
  /(?![ \n\t])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]|(?<=\p{M}{4})\p{M}|‹(?=[^‹›]{0,200}U\+[\dA-F]{4,6}[^‹›]{0,200}›)/gu
const isPlain = /^[\n\t\x20-\x7e]*$/

/** Every character of the text, in order, none left out. */
export function showText(text: string): Piece[] {
  return isPlain.test(text) ? withMarks(text, []) : withMarks(text, marksIn(text))
}

const isPlainLine = /^(?! )(?!.* {2})[\x20-\x7e]*(?<! )$/
/** Line ends, tabs and blanks that nobody would see in a name. */
const unseen = /[\n\t]|^ +| +$|(?<= ) +/gu

/** Like `showText`, for a name: it stands on one line, so line ends, tabs and blanks at its ends are marked too. */
export function showName(name: string): Piece[] {
  if (isPlainLine.test(name)) return withMarks(name, [])
  const blanks = [...name.matchAll(unseen)].flatMap(({ 0: found, index }) =>
    [...found].map((one, at): Mark => [index + at, { kind: 'hidden', code: codeOf(one) }, 1]),
  )
  return withMarks(name, [...marksIn(name), ...blanks].sort(byStart))
}

/** A value that is not text, as JSON. Each text in it is judged by itself. */
export function showJson(value: Json, indent = 0): Piece[] {
  const json = JSON.stringify(value, null, indent)
  if (isPlain.test(json)) return withMarks(json, [])
  const pieces: Piece[] = []
  let shown = 0
  for (const { 0: text, index } of json.matchAll(/"(?:[^"\\]|\\.)*"/gsu)) {
    pieces.push({ kind: 'text', text: json.slice(shown, index) }, ...showText(text))
    shown = index + text.length
  }
  pieces.push({ kind: 'text', text: json.slice(shown) })
  return pieces.filter((piece) => piece.kind !== 'text' || piece.text !== '')
}

function withMarks(text: string, marks: readonly Mark[]): Piece[] {
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

const byStart = ([one]: Mark, [other]: Mark) => one - other

/** In order, and none within another. */
function marksIn(text: string): Mark[] {
  const marks = new Map<number, Mark>()
  for (const [start, odd] of findLookAlikes(text)) {
    const character = characterAt(text, start)
    marks.set(start, [start, oddPiece(character, odd), character.length])
  }
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (!joinsEmoji(character, text, index)) {
      marks.set(index, [index, { kind: 'hidden', code: codeOf(character) }, character.length])
    }
  }
  for (const mark of notComposed(text)) {
    const [start, , length] = mark
    for (let at = start; at < start + length; at += 1) marks.delete(at)
    marks.set(start, mark)
  }
  return [...marks.values()].sort(byStart)
}

function oddPiece(text: string, odd: Oddity): Piece {
  const code = codeOf(text)
  return 'like' in odd ? { kind: 'look-alike', text, code, ...odd } : { kind: 'other-script', text, code, ...odd }
}

/** A letter with the marks that may be composed with it; the parts of Korean syllables compose in the same way. */
const composing = /[^\0-\x7f][\p{M}\u1160-\u11ff]*|[\0-\x7f][\p{M}\u1160-\u11ff]+/gu
const isTower = /\p{M}{5}/u

/** Where the text is not in the form that Unicode calls NFC. A tower of marks is marked as such, and would cover its mark. */
function notComposed(text: string): Mark[] {
  if (text.normalize('NFC') === text) return []
  return [...text.matchAll(composing)].flatMap(({ 0: written, index }): Mark[] => {
    const usual = written.normalize('NFC')
    if (usual === written || isTower.test(written)) return []
    const piece = { kind: 'not-composed', text: written, code: codesOf(written), usual: codesOf(usual) } as const
    return [[index, piece, written.length]]
  })
}

function characterAt(text: string, index: number): string {
  return String.fromCodePoint(text.codePointAt(index) as number)
}

/** The pieces as one text, such as `pay‹U+202E›` or `‹а U+0430, not a›`. */
export function shownText(pieces: readonly Piece[]): string {
  return pieces.map(shownPiece).join('')
}

/** Every argument made visible, in the order of the call. `compact`: what is not text stands on one line. */
export function showArguments(given: JsonObject, layout: 'indented' | 'compact' = 'indented'): ShownArgument[] {
  const indent = layout === 'compact' ? 0 : 2
  return Object.entries(given).flatMap(([name, value]): ShownArgument[] => {
    if (value === undefined) return []
    return typeof value === 'string'
      ? [{ name: showName(name), kind: 'text', value: showText(value) }]
      : [{ name: showName(name), kind: 'json', value: showJson(value, indent) }]
  })
}

/** Whether a value, names and all, holds nothing that hides or passes for another character. */
export function isInPlainSight(value: Json): boolean {
  if (typeof value === 'string') return isUnmarked(showText(value))
  if (Array.isArray(value)) return value.every(isInPlainSight)
  if (!isPlainObject(value)) return true
  return Object.entries(value as JsonObject).every(
    ([name, one]) => one === undefined || (isPlainName(name) && isInPlainSight(one)),
  )
}

/** The same of a name, which has no line ends and no blanks at its ends either. */
export function isPlainName(name: string): boolean {
  return isUnmarked(showName(name))
}

function isUnmarked(pieces: readonly Piece[]): boolean {
  return pieces.every(({ kind }) => kind === 'text')
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
    case 'other-script':
      return `‹${piece.text} ${piece.code}, ${piece.script}›`
    case 'not-composed':
      return `‹${piece.text} ${piece.code}, not ${piece.usual}›`
  }
}

function codesOf(text: string): string {
  return [...text].map(codeOf).join(' ')
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
}
