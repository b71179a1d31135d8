import { randomBytes } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { Site, WebEnv } from '../site.ts'

const always = {
  'X-Frame-Options': 'DENY',
  // Not `no-referrer`: browsers would then send our own forms with `Origin: null`, and the origin could not be checked.
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Passkeys are used only by the pages that ask for them. */
function permissions(isSigning = false): string {
  const passkeys = isSigning ? '(self)' : '()'
  return `camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), publickey-credentials-create=${passkeys}, publickey-credentials-get=${passkeys}, usb=()`
}

const overHttps = { 'Strict-Transport-Security': 'max-age=31536000' }

/** Sets the security headers of every response, and the nonce that marks the page's own style and script. */
export function secureHeaders(site: Site): MiddlewareHandler<WebEnv> {
  const fixed = Object.entries({ ...always, ...(site.isSecure && overHttps) })
  return async (c, next) => {
    c.set('site', site)
    c.set('nonce', randomBytes(16).toString('base64url'))
    await next()
    for (const [name, value] of fixed) c.res.headers.set(name, value)
    const { nonce, formTargets, isLive = false, isSigning = false, isInstallable = false } = c.var
    c.res.headers.set('Permissions-Policy', permissions(isSigning))
    c.res.headers.set(
      'Content-Security-Policy',
      contentPolicy({ nonce, formTargets, mayFetch: isLive || isSigning, isInstallable }),
    )
  }
}

interface PagePolicy {
  readonly nonce: string
  readonly formTargets: string | undefined
  readonly mayFetch: boolean
  readonly isInstallable: boolean
}

function contentPolicy({ nonce, formTargets = '', mayFetch, isInstallable }: PagePolicy): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    isInstallable ? "img-src 'self' data:" : 'img-src data:',
    ...(isInstallable ? ["worker-src 'self'", "manifest-src 'self'"] : []),
    ...(mayFetch ? ["connect-src 'self'"] : []),
    `form-action 'self' ${formTargets}`.trimEnd(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * The sites that the form of a connect page may lead to. Chromium applies `form-action` to every redirect that follows,
 * and a provider may redirect people to a login at any other site.
 */
export function providerTargets({ isSecure }: Pick<Site, 'isSecure'>): string {
  return isSecure ? 'https:' : 'https: http://127.0.0.1:* http://localhost:*'
}
