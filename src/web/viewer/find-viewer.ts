import type { Browser } from '../../participant/browser.ts'
import type { Person } from '../../participant/identify.ts'
import { type ParticipantId, participantId } from '../../participant/participant.ts'
import { socketAddress } from '../http/address.ts'
import { keyOf, readBrowserCookie, setBrowserCookie } from '../http/cookie.ts'
import type { TrustedProxy } from '../options.ts'
import type { WebContext } from '../site.ts'
import type { Viewer } from './viewer.ts'

const proxyCookieMs = 12 * 3_600_000

/** The person behind this request, by who serves it or the proxy's header, else by the browser's cookie; undefined if unknown. */
export async function viewerOf(c: WebContext): Promise<Viewer | undefined> {
  const { isHosted } = c.var.site
  const person = personFromOthers(c)
  if (person) {
    const cookie = readBrowserCookie(c) ?? setBrowserCookie(c, proxyCookieMs)
    return { ...person, cookie, key: keyOf(cookie) }
  }
  return isHosted ? undefined : viewerByCookie(c)
}

function personFromOthers(c: WebContext): Person | undefined {
  const { proxy, isHosted } = c.var.site
  return isHosted ? c.env.person : proxy && personFromProxy(c, proxy)
}

/** Whom a request counts for. Undefined: nobody knows. */
export async function personOf(c: WebContext): Promise<ParticipantId | undefined> {
  const person = personFromOthers(c) ?? (c.var.site.isHosted ? undefined : await browserOf(c, readBrowserCookie(c)))
  return person?.participant
}

/** Looked up once a request. */
async function browserOf(c: WebContext, cookie: string | undefined): Promise<Browser | undefined> {
  if (cookie === undefined) return undefined
  const known = c.var.browser ?? { found: await c.var.site.assent.store.browsers.getByKey(keyOf(cookie)) }
  c.set('browser', known)
  return known.found
}

async function viewerByCookie(c: WebContext): Promise<Viewer | undefined> {
  const { assent, isLocal } = c.var.site
  const cookie = readBrowserCookie(c)
  const browser = await browserOf(c, cookie)
  if (cookie === undefined || browser === undefined || browser.expiresAt <= assent.clock.now()) return undefined
  // A browser enrolled by link no longer counts once there is a login, nor the other way round.
  if (browser.by !== (isLocal ? 'link' : 'login')) return undefined
  if (browser.by === 'login' && assent.login === undefined) return undefined
  return { participant: browser.participant, groups: browser.groups, cookie, key: browser.key, browser }
}

const longestSubject = 1_024

function personFromProxy(c: WebContext, { header, issuer, from, groupsHeader }: TrustedProxy): Person | undefined {
  const address = socketAddress(c)
  if (address === undefined || !from.includes(address)) return undefined
  const subject = c.req.header(header)?.trim()
  if (!subject || subject.length > longestSubject || !subject.isWellFormed()) return undefined
  const groups = groupsHeader === undefined ? '' : (c.req.header(groupsHeader) ?? '')
  return {
    participant: participantId({ issuer, subject }),
    groups: groups
      .split(',')
      .map((group) => group.trim())
      .filter((group) => group !== ''),
  }
}
