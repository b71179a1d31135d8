import { describe, expect, test } from 'vitest'
import { alice } from '../support/approval/a-call.ts'
import { enrolledBrowser, pathIn, signedInBrowser, type TestBrowser, testBrowser } from '../support/test-browser.ts'
import { approvePath, waitingCall } from '../support/web/approvals.ts'
import { auditOf, localPlace, loginPlace, type Place } from '../support/web/places.ts'

const minute = 60_000
const iPhone = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1' }

/** The path of the link that this browser shows as a code. */
async function codeShownBy(browser: TestBrowser): Promise<string> {
  await browser.get('/browsers')
  const { text } = await browser.post('/browsers/phone')
  const link = /<code class="value">([^<]+)</.exec(text)?.[1] ?? ''
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:4180\/browsers\/add\?code=/)
  return pathIn(link)
}

const isIn = async (browser: TestBrowser) => (await browser.get('/inbox')).status === 200
const browsersOf = ({ assent }: Place) => assent.store.browsers.list(alice)

describe('a phone', () => {
  test('is signed in by a code that a signed-in browser shows, when its button is pressed', async () => {
    const place = await loginPlace({}, { policy: { rules: [{ decide: 'ask' }] } })
    const asked = await waitingCall(place)
    const desktop = await signedInBrowser(place, 'alice~ops')
    const path = await codeShownBy(desktop)

    const phone = testBrowser(place)
    const page = await phone.get(path, iPhone)
    expect(page.text).toMatch(/<h1>Sign in as [^?]*alice/)
    expect(page.text).toContain('Safari on iPhone')
    expect(await isIn(phone)).toBe(false)
    expect((await phone.post(path, {}, iPhone)).location).toBe('/push')
    expect((await phone.get(approvePath(asked))).status).toBe(200)

    const [first, second] = await browsersOf(place)
    expect(second).toMatchObject({ by: 'login', name: 'Safari on iPhone', groups: ['ops'] })
    const added = await auditOf(place, 'browser-added')
    expect(added[1]).toMatchObject({ about: second?.id, data: { by: 'login', letInBy: first?.id } })
  })

  test('is signed in for no longer than the browser that showed the code', async () => {
    const place = await loginPlace()
    const desktop = await signedInBrowser(place, 'alice')
    place.clock.advance(50 * minute)
    const phone = testBrowser(place)
    await phone.post(await codeShownBy(desktop))
    const [first, second] = await browsersOf(place)
    expect(second?.expiresAt).toEqual(first?.expiresAt)
    place.clock.advance(10 * minute)
    expect(await isIn(phone)).toBe(false)
  })

  test('is let in once, also of many that scan the code at once', async () => {
    const place = await loginPlace()
    const path = await codeShownBy(await signedInBrowser(place, 'alice'))
    const phones = Array.from({ length: 10 }, () => testBrowser(place))
    const statuses = await Promise.all(phones.map(async (phone) => (await phone.post(path)).status))
    expect(statuses.filter((status) => status === 303)).toHaveLength(1)
    expect(statuses.filter((status) => status === 403)).toHaveLength(9)
    expect(await browsersOf(place)).toHaveLength(2)
  })

  test('is not let in after the sign-in of the browser that showed the code is over', async () => {
    const place = await loginPlace()
    const desktop = await signedInBrowser(place, 'alice')
    place.clock.advance(58 * minute)
    const path = await codeShownBy(desktop)
    place.clock.advance(2 * minute)
    expect((await testBrowser(place).post(path)).status).toBe(403)
    expect(await browsersOf(place)).toHaveLength(1)
  })

  test('is not let in by a code of five minutes ago, or of somebody who signed out', async () => {
    const place = await loginPlace()
    const desktop = await signedInBrowser(place, 'alice')
    const old = await codeShownBy(desktop)
    place.clock.advance(5 * minute)
    const phone = testBrowser(place)
    expect((await phone.get(old)).text).toContain('This link no longer works')
    expect((await phone.post(old)).status).toBe(403)

    const fresh = await codeShownBy(desktop)
    await desktop.post('/logout')
    expect((await phone.get(fresh)).status).toBe(403)
    expect((await phone.post(fresh)).status).toBe(403)
    expect(await browsersOf(place)).toEqual([])
  })

  test('attack: another site posts the form, or a link for something else is put in its place', async () => {
    const place = await loginPlace()
    const desktop = await signedInBrowser(place, 'alice')
    const path = await codeShownBy(desktop)
    const phone = testBrowser(place)
    expect((await phone.post(path, {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await desktop.send('/browsers/phone', [['csrf', 'guessed']])).status).toBe(403)
    const local = pathIn(await place.web.enrollLink()).replace('/enroll', '/browsers/add')
    for (const other of [local, '/browsers/add?code=', '/browsers/add', `${path.slice(0, -2)}AA`]) {
      expect((await phone.post(other)).status).toBe(403)
    }
    expect(await browsersOf(place)).toHaveLength(1)
    expect((await phone.post(path)).status).toBe(303)
  })

  test('attack: a stranger asks for a code, and without a login there is none', async () => {
    expect((await testBrowser(await loginPlace()).post('/browsers/phone')).status).toBe(303)
    const mine = await enrolledBrowser(await localPlace())
    expect((await mine.get('/browsers')).text).not.toContain('Let a phone in')
    expect((await mine.post('/browsers/phone')).status).toBe(404)
  })
})
