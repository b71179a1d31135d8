import { type TextBounds, visibleLine, visibleText } from '../../base/text/visible-text.ts'
import type { Asker } from '../ui.ts'
import { cut, type Screen } from './screen.ts'

/** Who asks, in words: the server that the person configured, and the one behind it. */
export function named({ server, origin }: Asker): string {
  return origin === undefined ? visibleLine(server) : `${visibleLine(origin)} (through ${visibleLine(server)})`
}

/** A message was made visible before, and its marks made it longer: it is not cut a second time. */
const oncemore: TextBounds = { characters: 40_000, lines: 100 }

/** The head of every question: first who asks, then what, marked as their words (E11-04). */
export function showAsker(screen: Screen, ask: { asker: Asker; message: string }, verb: string): void {
  screen.say()
  screen.title(`${cut(named(ask.asker), screen.width - verb.length - 1)} ${verb}`)
  screen.quote(visibleText(ask.message, oncemore))
}
