import { type ParticipantId, parseParticipantId } from '../../participant/participant.ts'
import { clearTemporaryCookie, readTemporaryCookie, setTemporaryCookie } from '../http/cookie.ts'
import type { WebContext } from '../site.ts'

/**
 * Which notifications this browser gets, as it remembers itself: each sign-in is another browser in the store, so what is
 * kept there does not tell any more after the first one is over.
 */
const name = 'assent-push'

/** Remembers that this browser tells this person. */
export function rememberTold(c: WebContext, participant: ParticipantId, id: string, lifeMs: number): void {
  setTemporaryCookie(c, name, `${id} ${participant}`, lifeMs)
}

/** Ends the notifications of this browser, unless they are those of `unless`. */
export async function endTold(c: WebContext, unless?: ParticipantId): Promise<void> {
  const [, id, whose] =
    /^([\w-]{1,64}) (local|[^@\s]{1,1024}@\S{1,1024})$/.exec(readTemporaryCookie(c, name) ?? '') ?? []
  if (id === undefined || whose === undefined || whose === unless) return
  clearTemporaryCookie(c, name)
  await c.var.site.assent.subscriptions.remove(parseParticipantId(whose), id, 'browser')
}
