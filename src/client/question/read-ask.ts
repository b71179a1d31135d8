import { visibleText } from '../../base/text/visible-text.ts'
import type { Conversation } from '../conversation.ts'
import type { Asker } from '../ui.ts'

/** What a server asks, in words that are safe to show. */
export interface ReadAsk {
  readonly asker: Asker
  readonly message: string
}

/** Who asks and what, as the person should see it. */
export function readAsk({ server }: Pick<Conversation, 'server'>, message: unknown): ReadAsk {
  const text = visibleText(typeof message === 'string' ? message : '')
  // A gateway puts the name of the server behind it in front.
  const [, origin, rest] = /^\[([\w.-]{1,64})\] (.*)$/s.exec(text) ?? []
  return origin === undefined || rest === undefined
    ? { asker: { server }, message: text }
    : { asker: { server, origin }, message: rest }
}
