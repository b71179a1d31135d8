import { type TextBounds, visibleText } from '../../base/text/visible-text.ts'
import type { ClientContext } from '../client-context.ts'
import type { Asker } from '../ui.ts'

/** Who asks, and a message that is safe to show. */
export interface VisibleAsk {
  readonly asker: Asker
  readonly message: string
}

/** How much of a message a person is shown. */
const bounds: TextBounds = { characters: 40_000, lines: 1_000 }

/** Whether all of a message is shown. Nobody may say yes to a question of which they saw a part. */
export function isShownInFull(message: unknown): boolean {
  if (typeof message !== 'string') return true
  return message.length <= bounds.characters && message.split('\n').length <= bounds.lines
}

/** Makes a server's message safe to show, and finds the server behind a gateway that asks. */
export function visibleAsk({ server }: Pick<ClientContext, 'server'>, message: unknown): VisibleAsk {
  const text = visibleText(typeof message === 'string' ? message : '', bounds)
  // A gateway prefixes the message with the name of the server behind it.
  const [, origin, rest] = /^\[([\w.-]{1,64})\] (.*)$/s.exec(text) ?? []
  return origin === undefined || rest === undefined
    ? { asker: { server }, message: text }
    : { asker: { server, origin }, message: rest }
}
