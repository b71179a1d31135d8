import { createHash, randomBytes } from 'node:crypto'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { WebContext } from '../site.ts'

const shape = /^[\w-]{43}$/

/** With the prefix `__Host-`, browsers let no other host and no page without https set the cookie. */
export function cookieName({ var: { site } }: WebContext, name = 'assent'): string {
  return site.isSecure ? `__Host-${name}` : name
}

const attributesFor = ({ var: { site } }: WebContext) =>
  ({ path: '/', httpOnly: true, sameSite: 'Lax', secure: site.isSecure }) as const

/** The value of this browser's cookie; undefined where it has none, or none that we made. */
export function readBrowserCookie(c: WebContext): string | undefined {
  const value = getCookie(c, cookieName(c))
  return value !== undefined && shape.test(value) ? value : undefined
}

/** Sets a new random value as this browser's cookie, and returns it. */
export function setBrowserCookie(c: WebContext, lifeMs: number): string {
  const value = randomBytes(32).toString('base64url')
  setCookie(c, cookieName(c), value, { ...attributesFor(c), maxAge: Math.floor(lifeMs / 1_000) })
  return value
}

export function clearBrowserCookie(c: WebContext): void {
  deleteCookie(c, cookieName(c), attributesFor(c))
}

export function setTemporaryCookie(c: WebContext, name: string, value: string, lifeMs: number): void {
  setCookie(c, cookieName(c, name), value, { ...attributesFor(c), maxAge: Math.floor(lifeMs / 1_000) })
}

export function readTemporaryCookie(c: WebContext, name: string): string | undefined {
  return getCookie(c, cookieName(c, name))
}

export function clearTemporaryCookie(c: WebContext, name: string): void {
  deleteCookie(c, cookieName(c, name), attributesFor(c))
}

/** The digest by which a cookie is stored; the value itself is not. */
export function keyOf(value: string): string {
  return createHash('sha256').update(value).digest('base64url')
}
