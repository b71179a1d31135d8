import { unbounded, visibleLine, visibleText } from '../../base/text/visible-text.ts'
import type { Asker } from '../ui.ts'
import { cut, type Screen } from './screen.ts'

/** The name of the server that asks; for a server behind a gateway, both names. */
export function askerName({ server, origin }: Asker): string {
  return origin === undefined ? visibleLine(server) : `${visibleLine(origin)} (through ${visibleLine(server)})`
}

/**
 * The head of every question: first who asks, then their message, marked as a quotation (E11-04). The message was
 * bounded when it was read, and is not cut here, where escaping has made it longer.
 */
export function showAsker(screen: Screen, ask: { asker: Asker; message: string }, verb: string): void {
  screen.print()
  screen.title(`${cut(askerName(ask.asker), screen.width - verb.length - 1)} ${verb}`)
  screen.quote(visibleText(ask.message, unbounded))
}
