import { type Piece, showName, showText } from '../../../base/text/show-text.ts'
import { type Markup, markup } from './markup.ts'

/** Every character of a text for an approver; hidden characters and look-alikes are drawn as marks. */
export function drawPieces(pieces: readonly Piece[]): Markup {
  return markup`${pieces.map(drawPiece)}`
}

/** Like `drawPieces`, for plain text. */
export function exactText(text: string): Markup {
  return drawPieces(showText(text))
}

/** The same for a name, which stands on one line. */
export function exactName(name: string): Markup {
  return name === '' ? markup`<span class="soft">no name</span>` : drawPieces(showName(name))
}

function drawPiece(piece: Piece): Markup | string {
  switch (piece.kind) {
    case 'text':
      return piece.text
    case 'hidden':
      return markup`<mark title="A hidden character">${piece.code}</mark>`
    case 'look-alike':
      return markup`<mark title="Not the ${piece.like} it looks like">${piece.text} ${piece.code}</mark>`
    case 'other-script':
      return markup`<mark title="Not of the script of its word: ${piece.script}">${piece.text} ${piece.code}</mark>`
    case 'not-composed':
      return markup`<mark title="Usually written as ${piece.usual}">${piece.text} ${piece.code}</mark>`
  }
}
