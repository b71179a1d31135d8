import { createHmac, timingSafeEqual } from 'node:crypto'
import { isUrl } from '../../base/public-address.ts'
import type { WebContext } from '../site.ts'

/** The token in each form of a page, which proves that this browser was shown the page. Does not reveal the cookie. */
export function csrfFor(cookie: string): string {
  return createHmac('sha256', cookie).update('assent csrf').digest('base64url')
}

export function isCsrfOf(cookie: string, given: unknown): boolean {
  if (typeof given !== 'string') return false
  const wanted = Buffer.from(csrfFor(cookie))
  const got = Buffer.from(given)
  return wanted.length === got.length && timingSafeEqual(wanted, got)
}

/** Whether the headers say that a page of another site sent this request. */
export function isCrossSite({ req, var: { site } }: WebContext): boolean {
  const fetchSite = req.header('sec-fetch-site')
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return true
  const origin = req.header('origin')
  if (origin === undefined || origin === site.origin) return false
  // A hidden origin may be ours: then the browser says "same-origin" in the other header.
  if (origin === 'null') return fetchSite !== 'same-origin'
  return !isUrl(origin) || new URL(origin).host !== (req.header('host') ?? new URL(req.url).host)
}
