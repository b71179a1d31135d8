import { createHash, randomBytes } from 'node:crypto'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { WebContext } from '../site.ts'

const shape = /^[\w-]{43}$/

/** With `__Host-` no other host, and nothing without https, can plant it. */
export function cookieName({ var: { site } }: WebContext, name = 'assent'): string {
  return site.isSecure ? `__Host-${name}` : name
}

const attributesFor = ({ var: { site } }: WebContext) =>
  ({ path: '/', httpOnly: true, sameSite: 'Lax', secure: site.isSecure }) as const

/** The value that this browser is known by, if it has one of ours. */
export function readBrowserCookie(c: WebContext): string | undefined {
  const value = getCookie(c, cookieName(c))
  return value !== undefined && shape.test(value) ? value : undefined
}

/** Gives the browser a new value, which nobody else knows. */
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

export function clearTemporaryCookie(c: WebContext, name: string): void {
  deleteCookie(c, cookieName(c, name), attributesFor(c))
}

/** What is kept of a cookie's value. */
export function keyOf(value: string): string {
  return createHash('sha256').update(value).digest('base64url')
}
