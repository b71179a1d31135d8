import { visibleText } from '../../base/text/visible-text.ts'
import type { ClientContext } from '../client-context.ts'
import type { Asker } from '../ui.ts'

/** Who asks, and a message that is safe to show. */
export interface VisibleAsk {
  readonly asker: Asker
  readonly message: string
}

/** Makes a server's message safe to show, and finds the server behind a gateway that asks. */
export function visibleAsk({ server }: Pick<ClientContext, 'server'>, message: unknown): VisibleAsk {
  const text = visibleText(typeof message === 'string' ? message : '')
  // A gateway prefixes the message with the name of the server behind it.
  const [, origin, rest] = /^\[([\w.-]{1,64})\] (.*)$/s.exec(text) ?? []
  return origin === undefined || rest === undefined
    ? { asker: { server }, message: text }
    : { asker: { server, origin }, message: rest }
}
