import { accentsOf } from '../pages/layout/color.ts'
import type { WebContext } from '../site.ts'
import { workerScript } from './worker-script.ts'

/** Describes the pages as an app, for browsers that install it. */
export function manifest(c: WebContext): Response {
  const { title } = c.var.site.assent.pages
  const described = {
    id: '/inbox',
    name: title,
    short_name: title.slice(0, 12),
    start_url: '/inbox',
    scope: '/',
    display: 'standalone',
    icons: [{ src: '/app/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any maskable' }],
  }
  return c.body(JSON.stringify(described), 200, { 'Content-Type': 'application/manifest+json' })
}

/** A shield with a tick, inside of what every mask leaves. */
export function icon(c: WebContext): Response {
  const { light } = accentsOf(c.var.site.assent.pages.primaryColor)
  const drawn = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" fill="${light}"/><path d="M256 112l112 42v84c0 70-46 120-112 150-66-30-112-80-112-150v-84zM204 248l38 38 68-74" fill="none" stroke="#fff" stroke-width="28" stroke-linecap="round" stroke-linejoin="round"/></svg>`
  return c.body(drawn, 200, { 'Content-Type': 'image/svg+xml' })
}

/** The worker. It lies in a folder, and is allowed to show the notifications of all pages. */
export function worker(c: WebContext): Response {
  // What a worker may fetch is decided by the policy of its own response.
  c.set('isLive', true)
  return c.body(workerScript, 200, { 'Content-Type': 'text/javascript', 'Service-Worker-Allowed': '/' })
}
