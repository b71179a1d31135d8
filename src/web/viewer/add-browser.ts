import { randomUUID } from 'node:crypto'
import type { Browser } from '../../participant/browser.ts'
import type { Person } from '../../participant/identify.ts'
import { keyOf, setBrowserCookie } from '../http/cookie.ts'
import type { WebContext } from '../site.ts'
import { browserName } from './browser-name.ts'
import { viewerOf } from './find-viewer.ts'
import { endTold } from './told-browser.ts'

/** How a browser showed whose it is. */
interface Proof {
  readonly by: Browser['by']
  /** The id of the browser whose person let this one in. */
  readonly letInBy?: string
}

/** Makes this browser the person's, with a new cookie. If it was somebody's before, that ends. */
export async function addBrowser(c: WebContext, person: Person, proof: Proof, lifeMs: number): Promise<void> {
  const { assent } = c.var.site
  const { browsers } = assent.store
  const before = (await viewerOf(c))?.browser
  const now = assent.clock.now()
  const browser: Browser = {
    id: randomUUID(),
    key: keyOf(setBrowserCookie(c, lifeMs)),
    participant: person.participant,
    groups: [...person.groups],
    by: proof.by,
    name: browserName(c.req.header('user-agent')),
    createdAt: now,
    expiresAt: new Date(now.getTime() + lifeMs),
  }
  // Recorded first, so that no browser can answer for anybody without the audit knowing.
  await assent.record({ kind: 'browser-added', who: person.participant, about: browser.id, data: { ...proof } })
  await browsers.add(browser)
  if (before) await browsers.remove(before.participant, before.id)
  await endTold(c, person.participant)
}
