import { describe, expect, test } from 'vitest'
import type { Elicitation } from '../../src/index.ts'
import { bob } from '../../src/testing/index.ts'
import { anAsk, aSecretAsk } from '../support/asks.ts'
import { enrolledBrowser, type PageReply, pagePath, signedInBrowser, testBrowser } from '../support/test-browser.ts'
import { askLocal, auditOf, localPlace, loginPlace, type Place } from '../support/web/places.ts'
import { aProvider } from './providers.ts'

/** A page as it would be without what is fresh each time. */
const bare = ({ text, status, headers }: PageReply) => ({
  status,
  text: text.replace(/nonce="[^"]*"/g, ''),
  headers: [...headers].filter(([name]) => name !== 'content-security-policy'),
})

const pathsOf = ({ id }: Pick<Elicitation, 'id'>) => [
  `/elicit/${id}/form`,
  `/elicit/${id}/api-key`,
  `/elicit/${id}/status`,
  `/oauth/connect/notes?elicitation_id=${id}`,
]

const unknown = { id: '11111111-1111-4111-8111-111111111111' as Elicitation['id'] }

async function isUntouched(place: Place, { id, version }: Elicitation) {
  expect((await place.assent.get(id))?.version).toBe(version)
}

describe('Bob, signed in, opens Alice’s link', () => {
  test('and sees and changes nothing, as if there were no such question', async () => {
    const place = await loginPlace({}, { providers: new Map([['notes', aProvider()]]) })
    const { elicitation } = await place.assent.ask(aSecretAsk())
    const browser = await signedInBrowser(place, 'bob')

    for (const [at, path] of pathsOf(elicitation).entries()) {
      const page = await browser.get(path)
      expect(page.status).toBe(404)
      expect(page.text).not.toContain('Stripe')
      expect(bare(page)).toEqual(bare(await browser.get(pathsOf(unknown)[at] as string)))
    }
    await browser.get('/connections')
    for (const path of pathsOf(elicitation).filter((each) => !each.endsWith('/status'))) {
      const page = await browser.post(path, { answer: 'accept', 'field.apiKey': 'bobs-key' })
      expect(page.status).toBe(404)
    }
    await isUntouched(place, elicitation)
    const refused = await auditOf(place, 'page-refused')
    expect(refused).toHaveLength(7)
    expect(refused[0]).toMatchObject({ about: elicitation.id, data: { reason: 'not-asked', method: 'GET' } })
  })

  test('or his own with another id written into it', async () => {
    const place = await loginPlace()
    const { elicitation: hers } = await place.assent.ask(anAsk())
    const { elicitation: his } = await place.assent.ask(anAsk({ requester: { participant: bob, client: 'editor' } }))
    const browser = await signedInBrowser(place, 'bob')
    expect((await browser.get(pagePath(his))).status).toBe(200)

    const altered = pagePath(his).replace(his.id, hers.id)
    expect((await browser.get(altered)).status).toBe(404)
    expect((await browser.post(altered, { answer: 'accept', 'field.branch': 'main' })).status).toBe(404)
    await isUntouched(place, hers)
  })

  test('while he asked for it: he learns how it stands, and cannot answer it', async () => {
    const place = await loginPlace()
    const requester = { participant: bob, client: 'editor' }
    const { elicitation } = await place.assent.ask(anAsk({ requester, anyOf: [anAsk().requester.participant] }))
    const browser = await signedInBrowser(place, 'bob')
    expect(JSON.parse((await browser.get(`/elicit/${elicitation.id}/status`)).text)).toMatchObject({
      status: 'pending',
    })
    expect((await browser.get(pagePath(elicitation))).status).toBe(404)

    const hers = await (await signedInBrowser(place, 'alice')).get(pagePath(elicitation))
    expect(hers.text).toContain('bob')
  })
})

describe('a local process without the enrolled cookie', () => {
  test('opens a page, the status, a post: refused, nothing kept', async () => {
    const place = await localPlace()
    const asked = await askLocal(place)
    const agent = testBrowser(place)

    for (const path of [...pathsOf(asked), '/connections', '/browsers']) {
      const page = await agent.get(path)
      expect(page.status).toBe(403)
      expect(page.text).not.toContain('Which branch?')
      expect(page.text).not.toContain('pending')
    }
    for (const path of ['form', 'confirm'].map((page) => `/elicit/${asked.id}/${page}`)) {
      expect((await agent.post(path, { answer: 'accept', 'field.branch': 'evil' })).status).toBe(403)
    }
    expect(agent.cookies.size).toBe(0)
    await isUntouched(place, asked)
    expect(await place.assent.store.browsers.list('local' as never)).toEqual([])
    place.clock.advance(60_000)
    expect((await auditOf(place, 'page-refused')).map(({ data }) => data)).toEqual([
      { reason: 'not-enrolled', method: 'GET' },
      { reason: 'not-enrolled', count: 7 },
    ])
  })

  test('learns nothing of which ids there are', async () => {
    const place = await localPlace()
    const asked = await askLocal(place)
    const agent = testBrowser(place)
    for (const [at, path] of pathsOf(asked).entries()) {
      expect(bare(await agent.get(path))).toEqual(bare(await agent.get(pathsOf(unknown)[at] as string)))
    }
  })
})

describe('a form that a page of ours did not send', () => {
  const accept = { answer: 'accept', 'field.branch': 'evil' }

  test.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another host of this site', { 'sec-fetch-site': 'same-site' }],
    ['from another origin', { origin: 'https://evil.example' }],
    ['from another port of this machine', { origin: 'http://127.0.0.1:9999' }],
    ['from a page that hides its origin', { origin: 'null' }],
    ['from a frame without an origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ])('%s counts for nothing, even with the right token', async (_, headers) => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const asked = await askLocal(place)
    await browser.get(pagePath(asked))
    expect((await browser.post(pagePath(asked), accept, headers)).status).toBe(403)
    await isUntouched(place, asked)
    expect(await auditOf(place, 'page-refused')).toMatchObject([{ about: asked.id, data: { reason: 'cross-site' } }])
  })

  test.each([
    ['from our own page', { origin: 'http://127.0.0.1:4180', 'sec-fetch-site': 'same-origin' }],
    ['from our own page that hides its origin', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    ['from a browser that says neither', {}],
  ])('is told apart from one %s', async (_, headers) => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const asked = await askLocal(place)
    await browser.get(pagePath(asked))
    expect((await browser.post(pagePath(asked), accept, headers as Record<string, string>)).status).toBe(303)
  })

  test('with no token, a made-up one or that of another browser is too old (S-02), and the question is still there', async () => {
    const place = await localPlace()
    const asked = await askLocal(place)
    const [browser, other] = [await enrolledBrowser(place), await enrolledBrowser(place)]
    await browser.get(pagePath(asked))
    await other.get(pagePath(asked))
    expect(browser.csrf).not.toBe(other.csrf)
    expect(browser.csrf).not.toContain(browser.cookies.get('assent'))

    for (const csrf of ['', 'x', browser.csrf.slice(1), other.csrf]) {
      const page = await browser.post(pagePath(asked), { ...accept, csrf })
      expect(page.status).toBe(403)
      expect(page.text).toContain('This page is out of date')
      expect(page.text).toContain(`href="${pagePath(asked)}"`)
    }
    await isUntouched(place, asked)
    expect((await browser.post(pagePath(asked), accept)).status).toBe(303)
  })

  test('is refused at every other post as well', async () => {
    const place = await localPlace({}, { providers: new Map([['notes', aProvider()]]) })
    const browser = await enrolledBrowser(place)
    const [mine] = await place.assent.store.browsers.list('local' as never)
    await browser.get('/connections')
    for (const path of ['/oauth/connect/notes', '/connections/notes/disconnect', `/browsers/${mine?.id}/remove`]) {
      expect((await browser.post(path, { answer: 'accept', csrf: 'x' })).status).toBe(403)
      expect((await browser.post(path, { answer: 'accept' }, { origin: 'https://evil.example' })).status).toBe(403)
    }
    expect((await browser.get('/connections')).status).toBe(200)
  })

  test('uses up no one-time link', async () => {
    const place = await localPlace()
    const { pathname, search } = new URL(await place.web.enrollLink())
    const victim = testBrowser(place)
    expect((await victim.post(`${pathname}${search}`, {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect(victim.cookies.size).toBe(0)
    expect((await victim.post(`${pathname}${search}`)).status).toBe(200)
  })
})

describe('an address that sends people elsewhere', () => {
  test.each([
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/..//evil.example',
    'https:evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '/%09/evil.example\t',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\u0000',
    '\\\\evil.example',
    ' //evil.example',
    'evil',
    '',
    `/${'x'.repeat(3_000)}`,
  ])('such as %j is not followed after signing in', async (next) => {
    const place = await loginPlace()
    const browser = testBrowser(place)
    const away = await browser.get(`/login?next=${encodeURIComponent(next)}`)
    const state = new URL(away.location as string).searchParams.get('state')
    expect((await browser.get(`/login/callback?code=alice&state=${state}`)).location).toBe('/inbox')
    expect((await browser.get(`/login?next=${encodeURIComponent(next)}`)).location).toBe('/inbox')
  })
})

describe('a name that is not ours', () => {
  test.each(['evil.example', '127.0.0.1.evil.example', '0.0.0.0'])('such as %s is not served', async (host) => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const asked = await askLocal(place)
    expect((await browser.get(pagePath(asked), { host: `${host}:4180` })).status).toBe(403)
    expect((await browser.get(pagePath(asked))).status).toBe(200)
  })

  test.each(['x-forwarded-for', 'forwarded'])(
    'nor, without a login, what was passed on from elsewhere (%s)',
    async (header) => {
      const place = await localPlace()
      const browser = await enrolledBrowser(place)
      expect((await browser.get('/connections', { [header]: '203.0.113.9' })).status).toBe(403)
    },
  )

  test('nor, without a login, a socket from elsewhere', async () => {
    const place = await localPlace()
    const { cookies } = await enrolledBrowser(place)
    for (const [remoteAddress, status] of [
      ['203.0.113.9', 403],
      [undefined, 403],
      ['127.0.0.1', 200],
      ['::ffff:127.0.0.1', 200],
    ] as const) {
      const browser = testBrowser(place, undefined, { incoming: { socket: { remoteAddress } as never } })
      for (const [name, value] of cookies) browser.cookies.set(name, value)
      expect((await browser.get('/connections')).status).toBe(status)
    }
  })
})
