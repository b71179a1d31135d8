import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../support/web/chromium.ts'
import { consoleGallery } from '../support/web/console-gallery.ts'
import { frame, nonce, gallery as personGallery } from '../support/web/gallery.ts'
import { origin, type PageView, viewPages } from './view-pages.ts'

const desktop = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }
const views: Readonly<Record<string, BrowserContextOptions>> = {
  'desktop-light': { viewport: desktop, colorScheme: 'light' },
  'desktop-dark': { viewport: desktop, colorScheme: 'dark' },
  'phone-light': { viewport: phone, colorScheme: 'light', hasTouch: true },
  'phone-dark': { viewport: phone, colorScheme: 'dark', hasTouch: true },
}

/** Where pictures go, when somebody wants to look: `npm run gallery`. */
const folder = process.env.ASSENT_GALLERY
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

const gallery: Readonly<Record<string, string>> = { ...personGallery, ...consoleGallery }

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

describe.each(Object.entries(views))('%s', (view, options) => {
  let opened: PageView
  beforeAll(async () => {
    opened = await viewPages(browser, gallery, options)
    await opened.page.clock.setFixedTime(frame.now)
    // The policy of the page forbids foreign scripts, so axe comes in through the debugger.
    await opened.page.addInitScript({ path: axe })
  })
  afterAll(() => opened.close())

  test.each(Object.keys(gallery))('%s is accessible, fits the screen and asks nothing of anyone', async (name) => {
    const { page, oddities } = opened
    await page.goto(`${origin}/${name}`)
    expect(oddities.splice(0)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(await tooSmall(page)).toEqual([])
    if (folder) {
      await mkdir(join(folder, view), { recursive: true })
      await page.screenshot({ path: join(folder, view, `${name}.png`), fullPage: true })
    }
    expect(await violations(page)).toEqual([])
  })
})

test.each(Object.entries(personGallery))('%s is smaller than 30 KB', (_, page) => {
  expect(Buffer.byteLength(page)).toBeLessThan(30_000)
})

test.each(Object.entries(consoleGallery))('%s is smaller than 60 KB', (_, page) => {
  expect(Buffer.byteLength(page)).toBeLessThan(60_000)
})

test.each(Object.entries(gallery))('%s has no style and no handler outside of what the nonce marks', (_, page) => {
  expect(page).not.toMatch(/<[a-z][^>]*\s(style|on[a-z]+)=/i)
  expect(page.match(/<(script|style)\b[^>]*>/g)).toEqual([`<style nonce="${nonce}">`, `<script nonce="${nonce}">`])
})

async function violations(page: Page): Promise<string[]> {
  // Nothing is preloaded: the pages have no style sheets of their own to fetch.
  const run: RunOptions = { resultTypes: ['violations'], reporter: 'v2', preload: false }
  const results = (await page.evaluate(`axe.run(document, ${JSON.stringify(run)})`)) as AxeResults
  return results.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`))
}

/** What can be pressed but is lower than a finger needs. Links within a sentence are as high as the sentence. */
async function tooSmall(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('button, select, input:not([type=hidden]), nav a, .button, .choice')]
    .filter((one) => !one.closest('.choice') || one.matches('.choice'))
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 43.9)
    .map((one) => one.outerHTML)`)
}
