import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startOAuthServer } from '../support/oauth/oauth-server.ts'
import { openBrowser, openPage } from '../support/web/chromium.ts'
import { beginAt, consentAt, newRequest, redirectUri } from './consents.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

test.each([
  { button: 'Allow', kind: 'granted' },
  { button: 'Deny', kind: 'denied' },
])('a person in a browser signs in, clicks $button, and it is $kind', async ({ button, kind }) => {
  const server = await startOAuthServer()
  const consent = consentAt(server)
  const request = newRequest()
  const page = await openPage(browser)
  // Nobody serves our callback here.
  await page.route(`${redirectUri}?**`, (route) => route.fulfill({ body: 'back' }))

  await page.goto(await beginAt(consent, request))
  await page.getByLabel('Account').fill('ada')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: button }).click()
  await page.waitForURL(`${redirectUri}?**`)

  expect(await consent.complete(request, new URL(page.url()))).toMatchObject({ kind })
})
