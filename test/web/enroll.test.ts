import { describe, expect, test } from 'vitest'
import { enrollLink } from '../../src/web/index.ts'
import { anAsk } from '../support/asks.ts'
import { enrolledBrowser, pagePath, pathIn, signedInBrowser, testBrowser } from '../support/test-browser.ts'
import { askLocal, auditOf, localPlace, loginPlace } from '../support/web/places.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

describe('a one-time link', () => {
  test('makes a browser the local person’s when its button is pressed, and not before', async () => {
    const place = await localPlace()
    const asked = await askLocal(place)
    const link = pathIn(await place.web.enrollLink())

    const preview = testBrowser(place)
    for (let looks = 0; looks < 3; looks += 1) expect((await preview.get(link)).status).toBe(200)
    expect(preview.cookies.size).toBe(0)

    const browser = testBrowser(place)
    const page = await browser.get(link, { 'user-agent': firefox })
    expect(page.text).toContain('Firefox on Linux')
    expect((await browser.post(link, {}, { 'user-agent': firefox })).text).toContain('This browser is yours')
    expect((await browser.get(pagePath(asked))).status).toBe(200)
    expect(await auditOf(place, 'browser-added')).toMatchObject([{ data: { by: 'link' } }])
  })

  test('gives a cookie that scripts cannot read and other sites cannot send', async () => {
    const place = await localPlace()
    const page = await testBrowser(place).post(pathIn(await place.web.enrollLink()))
    const [cookie] = page.headers.getSetCookie()
    expect(cookie).toMatch(/^assent=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  test('that was used enrols nobody else, also of many who press at once', async () => {
    const place = await localPlace()
    const link = pathIn(await place.web.enrollLink())
    const browsers = Array.from({ length: 20 }, () => testBrowser(place))
    const pages = await Promise.all(browsers.map((browser) => browser.post(link)))

    expect(pages.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(pages.filter(({ status }) => status === 403)).toHaveLength(19)
    expect(browsers.filter(({ cookies }) => cookies.size > 0)).toHaveLength(1)
    expect((await place.assent.store.browsers.list('local' as never)).length).toBe(1)
    place.clock.advance(60_000)
    expect((await auditOf(place, 'page-refused')).map(({ data }) => data)).toEqual([
      { reason: 'link-used', method: 'POST' },
      { reason: 'link-used', count: 18 },
    ])
  })

  test('is over after ten minutes', async () => {
    const place = await localPlace()
    const link = pathIn(await place.web.enrollLink())
    place.clock.advance(10 * 60_000)
    const browser = testBrowser(place)
    expect((await browser.get(link)).status).toBe(403)
    expect((await browser.post(link)).status).toBe(403)
    expect(browser.cookies.size).toBe(0)
  })

  test('that someone made up or changed enrols nobody', async () => {
    const place = await localPlace()
    const link = pathIn(await place.web.enrollLink())
    const forged = [
      '/enroll',
      '/enroll?code=',
      '/enroll?code=x~y',
      `${link}A`,
      link.replace('~', '~x'),
      '/enroll?code=%00',
    ]
    for (const path of forged) expect((await testBrowser(place).post(path)).status).toBe(403)
    expect(await place.assent.store.browsers.list('local' as never)).toEqual([])
  })

  test('can be made by another process with the same keys, and leads on to the question', async () => {
    const place = await localPlace()
    const asked = await askLocal(place)
    const { vault, clock, pages } = place.assent
    const link = await enrollLink({ vault, clock, pages }, pagePath(asked))
    const browser = testBrowser(place)
    expect(await browser.post(pathIn(link))).toMatchObject({ status: 303, location: pagePath(asked) })
    expect((await browser.get(pagePath(asked))).status).toBe(200)
  })

  test('leads to no other site, whatever was sealed into it', async () => {
    const place = await localPlace()
    const page = await testBrowser(place).post(pathIn(await place.web.enrollLink('//evil.example')))
    expect(page).toMatchObject({ status: 200, location: null })
  })

  test('is no way in where there is a login', async () => {
    const place = await loginPlace()
    const browser = testBrowser(place)
    expect((await browser.post(pathIn(await place.web.enrollLink()))).status).toBe(404)
    expect(browser.cookies.size).toBe(0)
  })
})

describe('an enrolled browser', () => {
  test('is over after ninety days, or as many as an installation says', async () => {
    const place = await localPlace({ browserDays: 2 })
    const browser = await enrolledBrowser(place)
    place.clock.advance(2 * 24 * 3_600_000 - 1)
    expect((await browser.get('/browsers')).status).toBe(200)
    place.clock.advance(1)
    expect((await browser.get('/browsers')).status).toBe(403)
  })

  test('is nobody once there is a login', async () => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const { web } = await loginPlace({}, { store: place.assent.store })
    const same = testBrowser({ web })
    for (const [name, value] of browser.cookies) same.cookies.set(name, value)
    expect(await same.get('/browsers')).toMatchObject({ status: 303, location: '/login?next=%2Fbrowsers' })
  })

  test('is kept by nothing but its digest', async () => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const kept = JSON.stringify(await place.assent.store.browsers.list('local' as never))
    expect(kept).not.toContain(browser.cookies.get('assent'))
  })

  test('is listed, and removing it shuts it out at once', async () => {
    const place = await localPlace()
    const [one, other] = [await enrolledBrowser(place), await enrolledBrowser(place)]
    const page = await one.get('/browsers')
    const actions = [...page.text.matchAll(/action="(\/browsers\/[^"]+)"/g)].map(([, action]) => action as string)
    expect(actions).toHaveLength(2)
    const mine = await place.assent.store.browsers.list('local' as never)

    expect(await one.post(`/browsers/${mine[1]?.id}/remove`)).toMatchObject({ status: 303, location: '/browsers' })
    expect((await other.get('/browsers')).status).toBe(403)
    expect((await one.post(`/browsers/${mine[1]?.id}/remove`)).status).toBe(404)
    expect((await one.post(`/browsers/${mine[0]?.id}/remove`)).status).toBe(200)
    expect(one.cookies.size).toBe(0)
    expect(await auditOf(place, 'browser-removed')).toHaveLength(2)
  })

  test('of someone else is not there to be removed', async () => {
    const place = await loginPlace()
    const alice = await signedInBrowser(place, 'alice')
    const bob = await signedInBrowser(place, 'bob')
    await bob.get('/browsers')
    const [hers] = await place.assent.store.browsers.list(anAsk().requester.participant)
    expect((await bob.post(`/browsers/${hers?.id}/remove`)).status).toBe(404)
    expect((await alice.get('/browsers')).status).toBe(200)
  })
})
