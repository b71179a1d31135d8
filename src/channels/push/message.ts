import { clientText } from '../../base/text/names.ts'
import { namedClient } from '../../participant/requester.ts'
import type { Notice } from '../delivery/outbox.ts'
import { priorityMark, utcText, whatIsNeeded } from '../delivery/words.ts'

/** What the worker in a browser shows. `path` is a page of ours, which opens when it is pressed. */
export interface PushText {
  readonly title: string
  readonly body: string
  readonly path: string
  /** A later message with the same tag takes the place of this one. */
  readonly tag: string
}

/** Who asks and what is needed; no argument, no text of a question. */
export function pushAbout(notices: readonly Notice[]): PushText {
  const [{ elicitation, link }, ...others] = notices as [Notice, ...Notice[]]
  if (others.length > 0) {
    return { title: `${notices.length} questions wait for you`, body: 'Open your inbox.', path: '/inbox', tag: 'inbox' }
  }
  const { id, requester, expiresAt } = elicitation
  const { pathname, search } = new URL(link)
  return {
    title: `${priorityMark(elicitation)}${whatIsNeeded(elicitation)}`,
    body: `Asked by ${clientText(namedClient(requester), 'label')}. Until ${utcText(expiresAt)}.`,
    path: `${pathname}${search}`,
    tag: id,
  }
}

export const testMessage: PushText = {
  title: 'Notifications work',
  body: 'This browser shows a notification when you are asked.',
  path: '/push',
  tag: 'test',
}
