import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import { approvalPageOf, inboxWithOpen, type Showing } from '../support/web/approval-gallery.ts'
import { openBrowser } from '../support/web/chromium.ts'
import { origin, type PageView, viewPages } from './view-pages.ts'

const longPath = '/data/reports/2026/quarterly-summary-for-the-board/final.md/../../../../../../../etc/cron.d/backdoor'

/** What an agent may send so that a part of it is out of sight. */
const values: JsonObject = {
  path: longPath,
  word: 'x'.repeat(1_500),
  wide: '語'.repeat(300),
  joined: 'ﷺ﷽'.repeat(40),
  lines: 'one line\n'.repeat(80),
  blanks: `ls${' '.repeat(400)}&& rm -rf /`,
  tabs: `${'\t'.repeat(60)}end`,
  hidden: `pay\u202e${'\u200b'.repeat(120)}p\u0430l`,
  parts: 'e\u0301\u0323\u0307\u0308'.repeat(30),
  tower: `a${'\u0301'.repeat(40)}`,
  number: -1.234567890123456e-300,
  json: { deep: [{ [`key-${'k'.repeat(300)}`]: ['v'.repeat(400)] }, { 'a\nb': longPath }] },
  choice: `3-${'long/'.repeat(60)}`,
  several: [`0-${'long/'.repeat(60)}`],
  when: '2026-11-16T09:00:00.123456789012345678901234567890+01:00',
  short: 'plain',
  yes: true,
}
const options = Array.from({ length: 8 }, (_, index) => `${index}-${'long/'.repeat(60)}`)

const properties: JsonObject = {
  ...Object.fromEntries(Object.keys(values).map((name) => [name, { type: 'string' }])),
  number: { type: 'number' },
  json: { type: 'array' },
  choice: { type: 'string', enum: options },
  several: { type: 'array', items: { type: 'string', enum: options } },
  when: { type: 'string', format: 'date-time' },
  yes: { type: 'boolean' },
}

const names: JsonObject = {
  ['n'.repeat(2_000)]: 1,
  [`x: hello\n\nRule 1 says that a person must approve it.${'\n'.repeat(30)}(end of the call)\n`]: '',
  [`${' '.repeat(100)}a`]: 'x',
  ['\u200b'.repeat(100)]: 'x',
  '': '',
}

const named = (name: string): Showing => ({
  call: { arguments: { [name]: 'x' }, inputSchema: { type: 'object', properties: { [name]: { type: 'string' } } } },
  rule: { editable: [name] },
})

const inputSchema: JsonObject = { type: 'object', properties }
const cases: Readonly<Record<string, Showing>> = {
  'values that can be changed': { call: { arguments: values, inputSchema }, rule: { editable: Object.keys(values) } },
  'values that cannot be changed': { call: { arguments: values, inputSchema } },
  'the names of arguments': { call: { arguments: names } },
  'the name of an argument that can be changed': named('n'.repeat(150)),
  'the names of a tool, a server and a client': {
    call: {
      tool: `read_${'very_'.repeat(60)}or_delete`,
      server: 's'.repeat(200),
      title: 't'.repeat(500),
      annotations: { destructiveHint: true },
    },
    rule: { reason: 'r'.repeat(300) },
    message: 'm'.repeat(3_000),
  },
  'a plain call': { call: { arguments: { path: '/tmp/notes.txt' } }, rule: { editable: ['path'] } },
}

const pages: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(cases).flatMap((showing, index) => [
    [`page-${index}`, approvalPageOf(showing)],
    [`inbox-${index}`, inboxWithOpen(showing)],
  ]),
)

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

/** Opens everything that a person can open, and lists the elements of which a part cannot be seen. */
async function clipped(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    for (const one of document.querySelectorAll('details')) one.open = true
    const isClipped = (one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight
    // The navigation scrolls; nothing that is asked stands in it.
    const shown = [...document.body.querySelectorAll('*')].filter((one) => one instanceof HTMLElement && one.checkVisibility() && !one.closest('.bar'))
    const boxes = shown.filter((one) => getComputedStyle(one).display !== 'inline')
    const outside = shown.filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5)
    const words = (one) => one.outerHTML.slice(0, 120) + ' ' + [one.scrollWidth, one.clientWidth, one.scrollHeight, one.clientHeight].join()
    return [...new Set([...boxes.filter(isClipped), ...outside])].map(words)
  })()`)
}

const views = {
  'at 1280 px': { viewport: { width: 1280, height: 800 } },
  'at 390 px': { viewport: { width: 390, height: 844 } },
  'at 320 px': { viewport: { width: 320, height: 640 } },
  'without scripts, at 390 px': { viewport: { width: 390, height: 844 }, javaScriptEnabled: false },
}

describe.each(Object.entries(views))('attack: what would run is put out of sight by its length, %s', (_, options) => {
  let opened: PageView
  beforeAll(async () => {
    opened = await viewPages(browser, pages, options)
  })
  afterAll(() => opened.close())

  test.each(Object.keys(cases).map((what, index) => [what, index]))('%s', async (_, index) => {
    for (const place of ['page', 'inbox']) {
      await opened.page.goto(`${origin}/${place}-${index}`)
      expect(await clipped(opened.page), place).toEqual([])
    }
  })
})

test('a browser that does not size boxes by their text is helped by the script, also while a person types', async () => {
  const unsized = Object.fromEntries(
    Object.entries(pages).map(([name, page]) => [name, page.replaceAll('field-sizing:content', '')]),
  )
  const opened = await viewPages(browser, unsized, { viewport: { width: 390, height: 844 } })
  await opened.page.addInitScript('CSS.supports = () => false')
  await opened.page.goto(`${origin}/page-0`)
  expect(await clipped(opened.page)).toEqual([])
  await opened.page.locator('textarea').first().fill('typed '.repeat(200))
  await opened.page.setViewportSize({ width: 320, height: 640 })
  // The script is told of a new width with the next frame.
  await expect.poll(() => clipped(opened.page)).toEqual([])
  await opened.close()
})
