import { type Piece, showText } from '../../../base/text/show-text.ts'
import { type Markup, markup } from './markup.ts'

/** Every character of a text for an approver; hidden characters and look-alikes are drawn as marks. */
export function drawPieces(pieces: readonly Piece[]): Markup {
  return markup`${pieces.map(drawPiece)}`
}

/** Like `drawPieces`, for plain text. */
export function exactText(text: string): Markup {
  return drawPieces(showText(text))
}

function drawPiece(piece: Piece): Markup | string {
  switch (piece.kind) {
    case 'text':
      return piece.text
    case 'hidden':
      return markup`<mark title="A hidden character">${piece.code}</mark>`
    case 'look-alike':
      return markup`<mark title="Not the ${piece.like} it looks like">${piece.text} ${piece.code}</mark>`
  }
}
