import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Elicitation } from '../../src/index.ts'
import { type AskedClient, connect26 } from '../support/asking/asking-clients.ts'
import { listening, nextAsked } from '../support/server/servers.ts'
import {
  auditOf,
  enrolled,
  type Installation,
  install,
  newcomer,
  signIn,
  title,
} from '../support/walks/installation.ts'
import { openBrowser } from '../support/web/chromium.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const key = 'sk_live_of_the_attacker'

interface Asked {
  readonly asked: Elicitation
  readonly url: string
  /** Ends the call as its person would: the question is still theirs to answer. */
  finish(): Promise<void>
}

/** A call that waits for its person to open a page. */
async function waitingCall(place: Installation, client: AskedClient, tool: string): Promise<Asked> {
  const asking = nextAsked(place.assent)
  client.answers(() => ({ action: 'accept' }))
  const call = client.call(tool)
  const asked = await asking
  if (asked.question.mode !== 'url') throw new Error('asked by a form')
  return {
    asked,
    url: asked.question.url,
    async finish() {
      expect((await place.assent.get(asked.id))?.version).toBe(asked.version)
      const { participant } = asked.requester
      await place.assent.answer(asked.id, { participant, groups: [], via: 'page' }, { action: 'decline' })
      expect((await call).outcome).toMatchObject({ status: 'declined' })
      expect(await place.assent.connections.list(participant)).toEqual([])
      expect(place.held).toEqual([])
    },
  }
}

async function signedIn(place: Installation, account: string): Promise<Page> {
  const page = await newcomer(browser)
  await page.goto(`${place.origin}/connections`)
  await signIn(page, account)
  await page.getByRole('button', { name: 'Allow' }).click()
  await title(page, 'Your connections')
  return page
}

/** Posts from where the page is, as a form there would, with the token of that page. */
async function postFrom(page: Page, path: string, fields: Record<string, string>): Promise<number> {
  const csrf = await page.locator('input[name=csrf]').first().inputValue()
  const { origin } = new URL(page.url())
  const response = await page.request.post(new URL(path, origin).href, {
    form: { csrf, ...fields },
    headers: { origin, 'sec-fetch-site': 'same-origin' },
    maxRedirects: 0,
  })
  return response.status()
}

const pathIn = (url: string) => new URL(url).pathname + new URL(url).search
const reasons = async (place: Installation) => (await auditOf(place, 'page-refused')).map(({ data }) => data.reason)

describe('Bob, signed in, opens a link of Alice’s (E11-25, E11-41)', () => {
  async function bothSignedIn() {
    const place = await install({ withLogin: true })
    const tokenFor = (account: string) => place.oauth.tokenFor(account, { audience: `${place.origin}/mcp` })
    return {
      place,
      alices: await place.connect(connect26, { token: await tokenFor('alice') }),
      bobs: await place.connect(connect26, { token: await tokenFor('bob') }),
      page: await signedIn(place, 'bob'),
    }
  }

  test.each([
    ['send_mail', { answer: 'accept', 'field.apiKey': key }],
    ['list_notes', { answer: 'accept' }],
    ['pay', { answer: 'accept', 'field.apiKey': key }],
    ['delete_notes', { answer: 'accept' }],
  ])('of %s: he sees nothing of it, and what he posts counts for nothing', async (tool, fields) => {
    const { place, alices, page } = await bothSignedIn()
    const { asked, url, finish } = await waitingCall(place, alices, tool)
    await page.goto(url)
    await title(page, 'There is nothing here for you')
    expect(await page.content()).not.toContain(asked.question.message)
    await page.goto(`${place.origin}/connections`)
    expect(await postFrom(page, pathIn(url), fields)).toBe(404)
    const status = await page.request.get(`${place.origin}/elicit/${asked.id}/status`)
    expect([status.status(), await status.json()]).toEqual([404, expect.objectContaining({ error: 'not_found' })])

    expect(await auditOf(place, 'page-refused')).toMatchObject(
      ['GET', 'POST', 'GET'].map((method) => ({ about: asked.id, data: { reason: 'not-asked', method } })),
    )
    expect(place.oauth.count('/token', 'authorization_code')).toBe(1)
    await finish()
  })

  test('by writing its id into his own (E11-42)', async () => {
    const { place, alices, bobs, page } = await bothSignedIn()
    const hers = await waitingCall(place, alices, 'send_mail')
    const his = await waitingCall(place, bobs, 'send_mail')
    await page.goto(his.url)
    await title(page, 'Save a key for notebook?')
    const altered = his.url.replace(his.asked.id, hers.asked.id)
    expect(await postFrom(page, pathIn(altered), { answer: 'accept', 'field.apiKey': key })).toBe(404)
    await page.goto(altered)
    await title(page, 'There is nothing here for you')

    // And one that begins as his own, and is sent to hers by changing the page.
    await page.goto(his.url)
    await page
      .locator('form')
      .first()
      .evaluate((form, to) => {
        ;(form as unknown as { action: string }).action = to
      }, altered)
    await page.getByRole('textbox', { name: 'Mail key' }).fill(key)
    await page.getByRole('button', { name: 'Save key' }).click()
    await title(page, 'There is nothing here for you')
    expect(await reasons(place)).toEqual(['not-asked', 'not-asked', 'not-asked'])
    expect(await auditOf(place, 'answer-refused')).toEqual([])
    await hers.finish()
    await his.finish()
  })

  test('for an account, and begins at the provider himself', async () => {
    const { place, alices, bobs, page } = await bothSignedIn()
    const hers = await waitingCall(place, alices, 'list_notes')
    const his = await waitingCall(place, bobs, 'list_notes')
    // His answer of the provider, brought by her browser: login CSRF, to have her use his account.
    let answer = new URL(place.origin)
    place.waylay('/oauth/callback', (url) => {
      answer = url
      return new URL('/connections', url)
    })
    await page.goto(his.url)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await title(page, 'Your connections')
    const alice = await signedIn(place, 'alice')
    await alice.goto(answer.href)
    await title(alice, 'This sign-in was not started here')
    expect(await auditOf(place, 'connect-refused')).toMatchObject([{ data: { reason: 'other-browser' } }])
    await hers.finish()
    await his.finish()
  })
})

test('what a browser was given for answering opens nothing at the MCP address (E11-26)', async () => {
  const place = await install({ withLogin: true })
  const page = await signedIn(place, 'alice')
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const response = await page.request.post(`${place.origin}/mcp`, {
    data: list,
    headers: { accept: 'application/json, text/event-stream' },
  })
  expect(response.status()).toBe(401)
  const cookies = await page.context().cookies()
  for (const { value } of cookies) {
    const headers = { accept: 'application/json, text/event-stream', authorization: `Bearer ${value}` }
    expect((await page.request.post(`${place.origin}/mcp`, { data: list, headers })).status()).toBe(401)
  }
  expect(cookies.length).toBeGreaterThan(0)
})

describe('a local process without the enrolled cookie', () => {
  test('opens a page, the status, a post: refused, nothing kept, all in the audit (E11-33)', async () => {
    const place = await install()
    const client = await place.connect(connect26)
    const { asked, url, finish } = await waitingCall(place, client, 'send_mail')
    const at = (path: string) => `${place.origin}/elicit/${asked.id}/${path}`
    const body = new URLSearchParams({ answer: 'accept', 'field.apiKey': key, csrf: 'A'.repeat(43) })
    const cookie = { cookie: `assent=${'A'.repeat(43)}` }
    const tries: [string, RequestInit][] = [
      [url, {}],
      [url, { headers: cookie }],
      [at('status'), {}],
      [at('form'), {}],
      [url, { method: 'POST', body }],
      [url, { method: 'POST', body, headers: { ...cookie, origin: place.origin, 'sec-fetch-site': 'same-origin' } }],
      [`${place.origin}/oauth/connect/stripe`, { method: 'POST', body }],
      [`${place.origin}/oauth/callback?code=x&state=${'A'.repeat(43)}`, {}],
    ]
    for (const [address, init] of tries) {
      const response = await fetch(address, { redirect: 'manual', ...init })
      const text = await response.text()
      expect([address, response.status, response.headers.getSetCookie()]).toEqual([address, 403, []])
      expect(text).not.toContain(asked.question.message)
      expect(text).not.toContain('pending')
    }
    await finish()
    // What one stranger is refused within a minute is told at once, and then as a count.
    place.web.close()
    const told = async () => (await auditOf(place, 'page-refused')).map(({ about, data }) => ({ about, ...data }))
    await expect.poll(told).toEqual([
      { about: asked.id, reason: 'not-enrolled', method: 'GET' },
      { reason: 'not-enrolled', count: tries.length - 1 },
    ])
  })

  test('cannot enrol itself, nor name another host', async () => {
    const place = await install()
    const enrol = await fetch(`${place.origin}/enroll?code=made~up`, { method: 'POST', body: new URLSearchParams() })
    expect([enrol.status, enrol.headers.getSetCookie()]).toEqual([403, []])
    const passedOn = await fetch(`${place.origin}/connections`, { headers: { 'x-forwarded-for': '10.0.0.1' } })
    expect(passedOn.status).toBe(403)
    expect(await place.assent.store.browsers.list('local' as never)).toEqual([])
    expect(await reasons(place)).toEqual(['link-used'])
  })
})

describe('a page of another site, in the browser of the one who was asked', () => {
  /** A site that the person is lured to. */
  async function lure(html: string, host = '127.0.0.1'): Promise<string> {
    const url = await listening((_request, response) => {
      response.setHeader('Content-Type', 'text/html')
      response.end(html)
    })
    return `http://${host}:${url.port}/`
  }

  const formTo = (url: string) =>
    `<form method="post" action="${url}"><input name="answer" value="accept"><input name="csrf" value="forged">
     <button>Win a prize</button></form>`

  test.each([
    ['another port of this machine', '127.0.0.1', 'This page is out of date', 'cross-site'],
    ['another name', 'localhost', 'This browser is not known yet', 'not-enrolled'],
  ])('at %s sends a form: refused', async (_, host, words, reason) => {
    const place = await install()
    const client = await place.connect(connect26)
    const page = await enrolled(browser, place)
    const { asked, url, finish } = await waitingCall(place, client, 'delete_notes')
    await page.goto(await lure(formTo(url), host))
    await page.getByRole('button', { name: 'Win a prize' }).click()
    await title(page, words)
    expect(await auditOf(place, 'page-refused')).toMatchObject([{ about: asked.id, data: { reason, method: 'POST' } }])
    await finish()
  })

  test('shows our page in a frame: it stays empty', async () => {
    const place = await install()
    const client = await place.connect(connect26)
    const page = await enrolled(browser, place)
    const { url, finish } = await waitingCall(place, client, 'delete_notes')
    const refused = page.waitForEvent('console', (message) => /frame-ancestors|X-Frame-Options/i.test(message.text()))
    await page.goto(await lure(`<h1>Win a prize</h1><iframe src="${url}"></iframe>`))
    await refused
    expect(place.visited.some(({ href }) => href === url)).toBe(true)
    const texts = await Promise.all(page.frames().map((frame) => frame.content().catch(() => '')))
    expect(texts.join('\n')).not.toContain('Delete everything?')
    expect(await page.frameLocator('iframe').getByRole('button', { name: 'Delete them' }).count()).toBe(0)
    await finish()
  })

  test('cannot forge what our own form carries', async () => {
    const place = await install()
    const client = await place.connect(connect26)
    const page = await enrolled(browser, place)
    const { asked, url, finish } = await waitingCall(place, client, 'delete_notes')
    const other = await enrolled(browser, place)
    await other.goto(url)
    const ofAnother = await other.locator('input[name=csrf]').first().inputValue()
    for (const forged of ['A'.repeat(43), ofAnother]) {
      await page.goto(url)
      await page
        .locator('form input[name=csrf]')
        .first()
        .evaluate((field, value) => {
          ;(field as unknown as { value: string }).value = value
        }, forged)
      await page.getByRole('button', { name: 'Delete them' }).click()
      await title(page, 'This page is out of date')
    }
    expect(await auditOf(place, 'page-refused')).toMatchObject(
      Array(2).fill({ about: asked.id, data: { reason: 'form-old', method: 'POST' } }),
    )
    await finish()
  })
})
