import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { FormSchema } from '../../../src/elicitation/form/schema.ts'
import { apiKeyPage } from '../../../src/web/pages/question/api-key-page.ts'
import { confirmPage } from '../../../src/web/pages/question/confirm-page.ts'
import { connectPage } from '../../../src/web/pages/question/connect-page.ts'
import { formPage } from '../../../src/web/pages/question/form-page.ts'
import { openBrowser } from '../../support/web/chromium.ts'
import { asked, frame, longForm } from '../../support/web/gallery.ts'
import { origin, type PageView, viewPages } from '../view-pages.ts'

const form: FormSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    start: { type: 'string', format: 'date-time' },
    colour: { type: 'string', enum: ['red', 'blue'] },
    needs: { type: 'array', items: { type: 'string', enum: ['sound', 'light'] } },
    draft: { type: 'boolean', default: true },
  },
  required: ['name'],
}
const secret: FormSchema = { type: 'object', properties: { apiKey: { type: 'string' } }, required: ['apiKey'] }

const pages = {
  form: formPage(frame, { asked, schema: form, errors: [] }),
  wrong: formPage(frame, {
    asked,
    schema: longForm,
    typed: new Map([['start', ['2026-12-01T18:30:05+02:00']]]),
    errors: [{ field: 'name', message: 'Name of the event is required.' }],
  }),
  key: apiKeyPage(frame, { asked, schema: secret, labels: { fieldLabel: 'Key' }, errors: [] }),
  confirm: confirmPage(frame, { asked, labels: {} }),
  connect: connectPage(frame, { asked, action: asked.action, provider: { title: 'Notes' }, scopes: [], errors: [] }),
}

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

async function open(name: keyof typeof pages, options: Parameters<typeof viewPages>[2] = {}): Promise<PageView> {
  const view = await viewPages(browser, pages, options)
  onTestFinished(() => view.close())
  await view.page.clock.install({ time: new Date(frame.now.getTime() - 60_000) })
  await view.page.clock.pauseAt(frame.now)
  await view.page.goto(`${origin}/${name}`)
  return view
}

const fieldsOf = (posted: URLSearchParams | undefined) => [...(posted ?? [])]

describe.each([true, false])('with JavaScript: %s', (javaScriptEnabled) => {
  test('Enter in a text field sends the form, with the proof that it is of this page', async () => {
    const { page, posts } = await open('form', { javaScriptEnabled })
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('blue').check()
    await page.getByLabel('sound').check()
    await page.getByLabel('light').check()
    await page.getByLabel('Name').press('Enter')
    await expect.poll(() => posts.length).toBe(1)
    expect(fieldsOf(posts[0])).toEqual([
      ['csrf', frame.csrf],
      ['field.name', 'Ada'],
      ['field.start', ''],
      ['field.colour', 'blue'],
      ['field.needs', 'sound'],
      ['field.needs', 'light'],
      ['field.draft', 'true'],
      ['answer', 'accept'],
    ])
  })

  test.each([
    ['form', 'Decline', 'decline'],
    ['form', 'Cancel', 'cancel'],
    ['key', 'Decline', 'decline'],
    ['key', 'Cancel', 'cancel'],
    ['confirm', 'No', 'decline'],
    ['confirm', 'Yes, go ahead', 'accept'],
    ['connect', 'Not now', 'decline'],
    ['connect', 'Connect', 'accept'],
  ] as const)('on the page %s, %s answers %s with nothing filled in', async (name, button, answer) => {
    const { page, posts } = await open(name, { javaScriptEnabled })
    await page.getByRole('button', { name: button, exact: true }).click()
    await expect.poll(() => posts[0]?.get('answer')).toBe(answer)
  })

  test('a required field that is empty is not sent', async () => {
    const { page, posts } = await open('form', { javaScriptEnabled })
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByLabel('Name').fill('Ada')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => posts.map((posted) => posted.get('field.name'))).toEqual(['Ada'])
  })

  test.each(['confirm', 'connect'] as const)('on the page %s the keyboard meets no before yes', async (name) => {
    const { page } = await open(name, { javaScriptEnabled })
    const focused = page.locator(':focus')
    await page.keyboard.press('Tab')
    expect(await focused.textContent()).toBe('Skip to the page')
    expect(await page.evaluate('getComputedStyle(document.activeElement).clipPath')).toBe('none')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await focused.getAttribute('value')).toBe('decline')
    await page.keyboard.press('Tab')
    expect(await focused.getAttribute('value')).toBe('accept')
  })

  test('what is wrong is focused first, and leads to its field', async () => {
    const { page } = await open('wrong', { javaScriptEnabled })
    expect(await page.locator(':focus').getAttribute('role')).toBe('alert')
    await page.getByRole('link', { name: 'Name of the event is required.' }).click()
    expect(new URL(page.url()).hash).toBe('#f0')
    expect(await page.locator('#f0').getAttribute('aria-describedby')).toContain('f0-problem')
  })
})

test('without JavaScript a secret has no button that would do nothing', async () => {
  const { page } = await open('key', { javaScriptEnabled: false })
  expect(await page.getByRole('button', { name: 'Show' }).count()).toBe(0)
})

test('a secret can be shown and hidden again', async () => {
  const { page } = await open('key')
  const field = page.getByLabel('Key', { exact: true })
  await field.fill('sk-1')
  await page.getByRole('button', { name: 'Show Key' }).click()
  expect(await field.getAttribute('type')).toBe('text')
  await page.getByRole('button', { name: 'Hide Key' }).click()
  expect(await field.getAttribute('type')).toBe('password')
})

test('a time is picked in the zone of the person and sent with its offset', async () => {
  const { page, posts } = await open('form', { timezoneId: 'Asia/Kolkata' })
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('Start').fill('2026-12-01T18:30')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect.poll(() => posts[0]?.getAll('field.start')).toEqual(['2026-12-01T18:30:00+05:30'])
})

test('a time that was there before stays the moment it was', async () => {
  const { page } = await open('wrong', { timezoneId: 'America/New_York' })
  expect(await page.getByLabel('Start').inputValue()).toBe('2026-12-01T11:30:05')
  expect(await page.locator('[name="field.start"]').inputValue()).toBe('2026-12-01T18:30:05+02:00')
})

test('the time left is counted down, and when it is over nothing can be sent', async () => {
  const { page } = await open('confirm')
  const left = page.locator('[data-time=left]')
  expect(await left.textContent()).toBe('9 minutes')
  await page.clock.runFor(8 * 60_000)
  expect(await left.textContent()).toBe('90 seconds')
  await page.clock.runFor(2 * 60_000)
  expect(await page.locator('.left').textContent()).toBe('Time is up. Nothing runs.')
  expect(await page.locator('.answers button:enabled').count()).toBe(0)
})

test('a clock that is wrong changes nothing about the time left', async () => {
  const view = await viewPages(browser, pages)
  onTestFinished(() => view.close())
  await view.page.clock.install({ time: new Date('2031-01-01T00:00:00Z') })
  await view.page.goto(`${origin}/confirm`)
  expect(await view.page.locator('[data-time=left]').textContent()).toBe('9 minutes')
})

test('a field that is left empty says so, until it is filled in', async () => {
  const { page } = await open('form')
  const name = page.getByLabel('Name')
  await name.fill('A')
  await name.blur()
  await name.fill('')
  await name.blur()
  expect(await name.getAttribute('aria-invalid')).toBe('true')
  expect(await page.locator('#f0-problem').isVisible()).toBe(true)
  await name.fill('Ada')
  expect(await name.getAttribute('aria-invalid')).toBe('false')
})

test('pressed twice, a form is sent once', async () => {
  const { page } = await open('confirm')
  const arePrevented = await page.evaluate(`[1, 2].map(() => {
    const event = new Event('submit', { cancelable: true })
    document.querySelector('main form').dispatchEvent(event)
    return event.defaultPrevented
  })`)
  expect(arePrevented).toEqual([false, true])
})
