import { createHmac, timingSafeEqual } from 'node:crypto'
import type { WebContext } from '../site.ts'

/** What a form must carry to count as sent from a page that this browser was shown. It does not tell the cookie. */
export function csrfFor(cookie: string): string {
  return createHmac('sha256', cookie).update('assent csrf').digest('base64url')
}

export function isCsrfOf(cookie: string, given: unknown): boolean {
  if (typeof given !== 'string') return false
  const wanted = Buffer.from(csrfFor(cookie))
  const got = Buffer.from(given)
  return wanted.length === got.length && timingSafeEqual(wanted, got)
}

/** Whether a browser says that another site's page sent this. */
export function isCrossSite({ req, var: { site } }: WebContext): boolean {
  const fetchSite = req.header('sec-fetch-site')
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return true
  const origin = req.header('origin')
  if (origin === undefined || origin === site.origin) return false
  // What hides its origin is ours only if the browser itself says so.
  if (origin === 'null') return fetchSite !== 'same-origin'
  return !URL.canParse(origin) || new URL(origin).host !== (req.header('host') ?? new URL(req.url).host)
}
