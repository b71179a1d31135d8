import { createHash } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AskedClient, connect11, connect26, type Result } from '../support/asking/asking-clients.ts'
import { listening } from '../support/server/servers.ts'
import {
  auditOf,
  callWhile,
  connectAccount,
  enrolled,
  type Installation,
  type InstallationOptions,
  install,
  movableTime,
  signIn,
  title,
} from '../support/walks/installation.ts'
import { openBrowser } from '../support/web/chromium.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const local = 'local' as never
const clients = [
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
] as const

interface Visited extends Installation {
  readonly client: AskedClient
  readonly page: Page
}

async function visited(how = connect26, options: InstallationOptions = {}): Promise<Visited> {
  const place = await install(options)
  return { ...place, client: await place.connect(how), page: await enrolled(browser, place) }
}

async function pressConnect(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
}

/** Everything that a person does when they mean yes; what comes of it is for the test to see. */
async function sayYes(page: Page, url: string): Promise<void> {
  await pressConnect(page, url)
  await signIn(page, 'ada')
  await page.getByRole('button', { name: 'Allow' }).click()
}

/** No connection, no flow that could still bring one, and no token that a tool held. */
async function expectNothingKept({ assent, held }: Visited): Promise<void> {
  expect(await assent.store.connections.get(local, 'notes')).toBeUndefined()
  expect(held).toEqual([])
}

function expectFailed(result: Result, words: string): void {
  expect(result).toMatchObject({ isError: true, outcome: { status: 'failed' } })
  expect(result.text).toContain(words)
}

describe('a person who says no at the provider', () => {
  test.each(clients)('sees so, and the call is declined (%s)', async (_, how) => {
    const place = await visited(how)
    const result = await callWhile(place.client, 'list_notes', async (url) => {
      await pressConnect(place.page, url)
      await signIn(place.page, 'ada')
      await place.page.getByRole('button', { name: 'Deny' }).click()
      await title(place.page, 'Not connected')
    })
    expect(result).toMatchObject({ isError: true, outcome: { status: 'declined' } })
    expect(place.oauth.count('/token')).toBe(0)
    expect(await auditOf(place, 'connect-denied')).toMatchObject([{ data: { reason: 'denied-at-provider' } }])
    await expectNothingKept(place)
  })

  test('to some of it is told what is missing, the call is declined, and what was given can be used', async () => {
    const place = await visited()
    const result = await callWhile(place.client, 'edit_notes', async (url) => {
      await pressConnect(place.page, url)
      await signIn(place.page, 'ada')
      await place.page.getByLabel('notes.write').uncheck()
      await place.page.getByRole('button', { name: 'Allow' }).click()
      await title(place.page, 'Connected, but with less access than needed')
      expect(await place.page.getByRole('main').textContent()).toContain('Notes did not allow: notes.write.')
    })
    expect(result).toMatchObject({ isError: true, outcome: { status: 'declined' } })
    expect((await place.client.call('list_notes')).text).toBe('A note of ada')
    expect(place.client.asked).toHaveLength(1)
  })
})

describe('a provider that is down', () => {
  test.each(clients)('before anybody got there: the page and the call say so (%s)', async (_, how) => {
    const place = await visited(how)
    await place.oauth.stop()
    const result = await callWhile(place.client, 'list_notes', async (url) => {
      await pressConnect(place.page, url)
      await title(place.page, 'Connecting did not work')
      expect(await place.page.getByRole('main').textContent()).toContain('Notes could not be reached.')
    })
    expectFailed(result, 'Notes could not be reached.')
    expect(await auditOf(place, 'connect-failed')).toMatchObject([{ data: { reason: 'unreachable' } }])
    await expectNothingKept(place)
  })

  test('when the code is to be exchanged: the same', async () => {
    const place = await visited()
    place.oauth.fail('/token', 503)
    const result = await callWhile(place.client, 'list_notes', async (url) => {
      await sayYes(place.page, url)
      await title(place.page, 'Connecting did not work')
    })
    expectFailed(result, 'Notes has an internal error. Try again later.')
    expect(await auditOf(place, 'connect-failed')).toMatchObject([{ data: { reason: 'server_error' } }])
    await expectNothingKept(place)
  })

  test('when a token is to be renewed: the call says so, nobody is asked, and later it works again', async () => {
    const time = movableTime()
    const place = await visited(connect26, { oauth: { accessTokenTtl: 60 } })
    await callWhile(place.client, 'list_notes', (url) => connectAccount(place.page, url))
    time.advance(61_000)
    place.oauth.fail('/token', 503)
    const result = await place.client.call('list_notes')
    expect(result.isError).toBe(true)
    expect(result.text).toContain('Notes')
    expect(place.client.asked).toHaveLength(1)

    place.oauth.recover()
    expect((await place.client.call('list_notes')).text).toBe('A note of ada')
    expect(place.client.asked).toHaveLength(1)
  })
})

describe('an answer of the provider that was meddled with', () => {
  test('a state that was never given: refused, and the true answer still counts', async () => {
    const place = await visited()
    let answer = new URL(place.origin)
    place.waylay('/oauth/callback', (url) => {
      answer = new URL(url)
      url.searchParams.set('state', 'A'.repeat(43))
      return url
    })
    const result = await callWhile(place.client, 'list_notes', async (url) => {
      await sayYes(place.page, url)
      await title(place.page, 'This sign-in was not started here')
      expect(await auditOf(place, 'connect-refused')).toMatchObject([{ data: { reason: 'unknown-state' } }])
      await expectNothingKept(place)
      expect(place.oauth.count('/token')).toBe(0)
      await place.page.goto(answer.href)
      await title(place.page, 'Account connected')
    })
    expect(result.text).toBe('A note of ada')
  })

  test('opened in another browser of the same person: refused, and used up', async () => {
    const place = await visited()
    const other = await enrolled(browser, place)
    let answer = new URL(place.origin)
    place.waylay('/oauth/callback', (url) => {
      answer = url
      return new URL('/connections', url)
    })
    place.client.answers(() => ({ action: 'accept' }))
    const asked = nextUrl(place.client)
    const call = place.client.call('list_notes')
    await sayYes(place.page, await asked)
    await title(place.page, 'Your connections')

    for (const [page, reason] of [
      [other, 'other-browser'],
      [place.page, 'unknown-state'],
    ] as const) {
      await page.goto(answer.href)
      await title(page, 'This sign-in was not started here')
      expect((await auditOf(place, 'connect-refused')).at(-1)).toMatchObject({ data: { reason } })
    }
    expect(place.oauth.count('/token')).toBe(0)
    await expectNothingKept(place)

    await place.page.goto(await asked)
    await place.page.getByRole('button', { name: 'Not now' }).click()
    expect((await call).outcome).toMatchObject({ status: 'declined' })
  })

  test('replayed after the account was disconnected: refused, and nothing is kept', async () => {
    const place = await visited()
    await callWhile(place.client, 'list_notes', (url) => connectAccount(place.page, url))
    const answer = place.visited.find(({ pathname }) => pathname === '/oauth/callback') as URL
    await place.assent.connections.disconnect(local, 'notes')
    place.held.length = 0

    await place.page.goto(answer.href)
    await title(place.page, 'This sign-in was not started here')
    expect(place.oauth.count('/token', 'authorization_code')).toBe(1)
    expect(await auditOf(place, 'connect-refused')).toMatchObject([{ data: { reason: 'unknown-state' } }])
    await expectNothingKept(place)
  })

  test.each([
    [
      'another issuer (RFC 9207)',
      (url: URL) => url.searchParams.set('iss', 'https://evil.example'),
      { words: 'The answer does not come from Notes.', reason: 'issuer_mismatch' },
    ],
    [
      'the issuer left out',
      (url: URL) => url.searchParams.delete('iss'),
      { words: 'The answer does not say whether it comes from Notes.', reason: 'issuer_missing' },
    ],
  ])('%s: failed, before the code is shown to anybody', async (_, change, { words, reason }) => {
    const place = await visited()
    place.waylay('/oauth/callback', (url) => {
      change(url)
      return url
    })
    const result = await callWhile(place.client, 'list_notes', async (url) => {
      await sayYes(place.page, url)
      await title(place.page, 'Connecting did not work')
      expect(await place.page.getByRole('main').textContent()).toContain(words)
    })
    expectFailed(result, words)
    expect(place.oauth.count('/token')).toBe(0)
    expect(await auditOf(place, 'connect-failed')).toMatchObject([{ data: { reason } }])
    await expectNothingKept(place)
  })

  test.each(clients)('a code from a login that someone else began: failed (%s)', async (_, how) => {
    const place = await visited(how)
    const result = await callWhile(place.client, 'list_notes', async (url) => {
      const authorization = await addressOfProvider(place.page, url)
      // Mallory visits the same provider for the same client, with a verifier of her own.
      const hers = new URL(authorization)
      hers.searchParams.set('code_challenge', createHash('sha256').update('m'.repeat(43)).digest('base64url'))
      const code = (await place.oauth.visit(hers.href, { account: 'mallory' })).searchParams.get('code') as string
      place.waylay('/oauth/callback', (answer) => {
        answer.searchParams.set('code', code)
        return answer
      })
      await place.page.goto(authorization.href)
      await signIn(place.page, 'ada')
      await place.page.getByRole('button', { name: 'Allow' }).click()
      await title(place.page, 'Connecting did not work')
    })
    expectFailed(result, 'Notes did not accept its own code. Start again.')
    expect(place.oauth.count('/token', 'authorization_code')).toBe(1)
    expect(await auditOf(place, 'connect-failed')).toMatchObject([{ data: { reason: 'invalid_grant' } }])
    await expectNothingKept(place)
  })

  test('a code that was sent to another address first: failed', async () => {
    const place = await visited()
    const caught: URL[] = []
    const elsewhere = await listening((request, response) => {
      caught.push(new URL(request.url ?? '/', 'http://127.0.0.1'))
      response.end('<h1>Thank you</h1>')
    })
    const result = await callWhile(place.client, 'list_notes', async (url) => {
      const authorization = await addressOfProvider(place.page, url)
      authorization.searchParams.set('redirect_uri', elsewhere.href)
      await place.page.goto(authorization.href)
      await signIn(place.page, 'ada')
      await place.page.getByRole('button', { name: 'Allow' }).click()
      await title(place.page, 'Thank you')
      const [{ search }] = caught as [URL]
      await place.page.goto(`${place.origin}/oauth/callback${search}`)
      await title(place.page, 'Connecting did not work')
    })
    expectFailed(result, 'Notes did not accept its own code. Start again.')
    expect(await auditOf(place, 'connect-failed')).toMatchObject([{ data: { reason: 'invalid_grant' } }])
    await expectNothingKept(place)
  })
})

/** The first address that a client is asked to open from now on. */
function nextUrl(client: AskedClient): Promise<string> {
  return new Promise((resolve) => {
    client.answers(({ url = '' }) => {
      resolve(url)
      return { action: 'accept' }
    })
  })
}

/** Presses Connect, and stops where the browser would leave for the provider. */
async function addressOfProvider(page: Page, url: string): Promise<URL> {
  await page.goto(url)
  await page.route('**/oauth/connect/**', async (route) => {
    const response = await route.fetch({ maxRedirects: 0 })
    await route.fulfill({ contentType: 'text/html', body: `<h1>${response.headers().location}</h1>` })
  })
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  const heading = page.getByRole('heading', { name: /^http/ })
  const address = new URL((await heading.textContent()) ?? '')
  await page.unroute('**/oauth/connect/**')
  return address
}
