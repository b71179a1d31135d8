import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { nonce } from '../support/web/gallery.ts'

export const origin = 'http://assent.test'

const policy = [
  "default-src 'none'",
  `style-src 'nonce-${nonce}'`,
  `script-src 'nonce-${nonce}'`,
  "form-action 'self'",
  'img-src data:',
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A browser tab on pages served for a test, with what the browser sends and complains about. */
export interface PageView {
  readonly page: Page
  /** What was posted, in order. */
  readonly posts: URLSearchParams[]
  /** Requests to elsewhere, and what the browser complains about. */
  readonly oddities: string[]
  close(): Promise<void>
}

/** Serves these pages, and nothing else, by their paths to a browser context of its own. */
export async function viewPages(
  browser: Browser,
  pages: Readonly<Record<string, string>>,
  options: BrowserContextOptions = {},
): Promise<PageView> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options })
  context.setDefaultTimeout(60_000)
  const posts: URLSearchParams[] = []
  const oddities: string[] = []
  await context.route('**/*', async (route) => {
    const request = route.request()
    const url = new URL(request.url())
    if (url.origin === origin && request.method() === 'POST') {
      posts.push(new URLSearchParams(request.postData() ?? ''))
      return route.fulfill({ body: '<title>Posted</title>', contentType: 'text/html' })
    }
    // The stream of a live page, which sends no news.
    if (url.href === `${origin}/inbox/events` || url.href === `${origin}/console/live/events`) {
      return route.fulfill({ body: 'retry: 600000\n\n', contentType: 'text/event-stream' })
    }
    const body = pages[url.pathname.slice(1)]
    if (url.origin !== origin || body === undefined) {
      oddities.push(url.href)
      return route.abort()
    }
    const live = /EventSource|id="live"/.test(body) ? "; connect-src 'self'" : ''
    const headers = { 'content-security-policy': policy + live, 'content-type': 'text/html; charset=utf-8' }
    return route.fulfill({ body, headers })
  })
  const page = await context.newPage()
  page.on('console', (message) => oddities.push(message.text()))
  page.on('pageerror', (error) => oddities.push(error.message))
  return { page, posts, oddities, close: () => context.close() }
}
