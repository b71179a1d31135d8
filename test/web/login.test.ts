import { describe, expect, test } from 'vitest'
import { alice, anAsk } from '../support/asks.ts'
import { pagePath, signedInBrowser, testBrowser } from '../support/test-browser.ts'
import { allowOnce, approvalPlace, approvePath, waitingCall } from '../support/web/approvals.ts'
import { auditOf, left, loginPlace } from '../support/web/places.ts'

async function askAlice({ assent }: Awaited<ReturnType<typeof loginPlace>>) {
  return (await assent.ask(anAsk())).elicitation
}

const stateIn = (location: string | null) => new URL(location as string).searchParams.get('state') as string

describe('signing in', () => {
  test('is asked of whoever opens a question, and leads back to it', async () => {
    const place = await loginPlace()
    const asked = await askAlice(place)
    const browser = testBrowser(place)
    const sent = await browser.get(pagePath(asked))
    expect(sent).toMatchObject({ status: 303, location: `/login?next=${encodeURIComponent(pagePath(asked))}` })

    const away = await browser.get(sent.location as string)
    const back = await browser.get(`/login/callback?code=alice&state=${stateIn(away.location)}`)
    expect(back).toMatchObject({ status: 303, location: pagePath(asked) })
    expect((await browser.get(pagePath(asked))).text).toContain('Which branch?')
    expect([...browser.cookies.keys()]).toEqual(['assent'])
    expect(left.at(-1)).toMatchObject({ redirectUri: 'http://127.0.0.1:4180/login/callback' })
  })

  test.each([
    ['an hour', {}, 3_600_000],
    ['as long as the setting says', { signIn: '12h' }, 12 * 3_600_000],
  ])('lasts %s', async (_, options, lastsMs) => {
    const place = await loginPlace(options)
    const browser = await signedInBrowser(place, 'alice')
    place.clock.advance(lastsMs - 1)
    expect((await browser.get('/connections')).status).toBe(200)
    place.clock.advance(1)
    expect((await browser.get('/connections')).status).toBe(303)
  })

  test('gives a new cookie each time, and the one before no longer counts', async () => {
    const place = await loginPlace()
    const browser = await signedInBrowser(place, 'alice')
    const before = browser.cookies.get('assent') as string
    // Already signed in: the login is not bothered.
    expect(await browser.get('/login?next=/browsers')).toMatchObject({ status: 303, location: '/browsers' })

    const old = testBrowser(place)
    old.cookies.set('assent', before)
    expect((await old.get('/browsers')).status).toBe(200)
    browser.cookies.delete('assent')
    const away = await browser.get('/login')
    browser.cookies.set('assent', before)
    await browser.get(`/login/callback?code=bob&state=${stateIn(away.location)}`)
    expect(browser.cookies.get('assent')).not.toBe(before)
    expect((await old.get('/browsers')).status).toBe(303)
  })

  test('in two tabs at once works in both', async () => {
    const place = await loginPlace()
    const browser = testBrowser(place)
    const [one, two] = [await browser.get('/login?next=/browsers'), await browser.get('/login')]
    expect((await browser.get(`/login/callback?code=alice&state=${stateIn(two.location)}`)).location).toBe('/inbox')
    expect((await browser.get(`/login/callback?code=alice&state=${stateIn(one.location)}`)).location).toBe('/browsers')
  })

  test('that fails says so, and nobody is signed in', async () => {
    const place = await loginPlace()
    const browser = testBrowser(place)
    const away = await browser.get('/login')
    const back = await browser.get(`/login/callback?code=nobody&state=${stateIn(away.location)}`)
    expect(back.status).toBe(403)
    expect(back.text).toContain('The login said no.')
    expect(browser.cookies.size).toBe(0)
  })

  test('in ever more tabs leaves no heap of cookies', async () => {
    const place = await loginPlace()
    const browser = testBrowser(place)
    for (let tab = 0; tab < 20; tab += 1) await browser.get('/login')
    expect(browser.cookies.size).toBeLessThan(7)
  })
})

describe('attacks on signing in', () => {
  test('attack: somebody who has left a group answers for it with the sign-in of that morning', async () => {
    const place = await approvalPlace({ approvers: ['group:finance'] }, { clocks: { question: '1d' } })
    const asked = await waitingCall(place)
    const browser = await signedInBrowser(place, 'carol~finance')
    expect((await browser.get(approvePath(asked))).status).toBe(200)
    place.clock.advance(2 * 3_600_000)

    const posted = await browser.post(approvePath(asked), allowOnce)
    expect(posted).toMatchObject({ status: 303, location: `/login?next=${encodeURIComponent(approvePath(asked))}` })
    expect((await place.assent.get(asked.id))?.state.kind).toBe('open')
    const away = await browser.get(posted.location as string)
    await browser.get(`/login/callback?code=carol&state=${stateIn(away.location)}`)
    expect((await browser.get(approvePath(asked))).status).toBe(404)
    expect((await browser.post(approvePath(asked), allowOnce)).status).toBe(404)
    expect((await place.assent.get(asked.id))?.state.kind).toBe('open')
  })

  test('an answer to a login that another browser began signs nobody in', async () => {
    const place = await loginPlace()
    const mallory = testBrowser(place)
    const away = await mallory.get('/login')

    const victim = testBrowser(place)
    const back = await victim.get(`/login/callback?code=mallory&state=${stateIn(away.location)}`)
    expect(back.status).toBe(403)
    expect(victim.cookies.size).toBe(0)
    expect(await auditOf(place, 'page-refused')).toMatchObject([{ data: { reason: 'login-not-begun-here' } }])
  })

  test('an answer sent twice signs in once, also with the cookie put back', async () => {
    const place = await loginPlace()
    const browser = testBrowser(place)
    const away = await browser.get('/login')
    const cookies = new Map(browser.cookies)
    const path = `/login/callback?code=alice&state=${stateIn(away.location)}`
    expect((await browser.get(path)).status).toBe(303)

    const thief = testBrowser(place)
    for (const [name, value] of cookies) thief.cookies.set(name, value)
    expect((await thief.get(path)).status).toBe(403)
    expect(thief.cookies.has('assent')).toBe(false)
  })

  test('a login that took more than ten minutes is begun again', async () => {
    const place = await loginPlace()
    const browser = testBrowser(place)
    const away = await browser.get('/login')
    place.clock.advance(10 * 60_000)
    expect((await browser.get(`/login/callback?code=alice&state=${stateIn(away.location)}`)).status).toBe(403)
  })

  test('a cookie of a value that we never gave is nobody', async () => {
    const place = await loginPlace()
    const browser = testBrowser(place)
    browser.cookies.set('assent', 'A'.repeat(43))
    expect((await browser.get('/connections')).status).toBe(303)
  })
})

describe('signing out', () => {
  test('ends it here and in the store', async () => {
    const place = await loginPlace()
    const browser = await signedInBrowser(place, 'alice')
    const before = browser.cookies.get('assent') as string
    await browser.get('/connections')
    const page = await browser.post('/logout')
    expect(page).toMatchObject({ status: 200 })
    expect(page.text).toContain('You are signed out')
    expect(browser.cookies.size).toBe(0)

    browser.cookies.set('assent', before)
    expect((await browser.get('/connections')).status).toBe(303)
    expect(await place.assent.store.browsers.list(alice)).toEqual([])
  })

  test('is not done by another site’s page', async () => {
    const place = await loginPlace()
    const browser = await signedInBrowser(place, 'alice')
    await browser.get('/connections')
    expect((await browser.post('/logout', {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await browser.post('/logout', { csrf: '' })).status).toBe(403)
    expect((await browser.get('/connections')).status).toBe(200)
  })
})

test('a login for tokens alone lets nobody see a page', async () => {
  const place = await loginPlace()
  const { createWeb } = await import('../../src/web/index.ts')
  const login = { issuer: 'https://login.example.com', audience: 'x', byToken: async () => undefined }
  const browser = testBrowser({ web: createWeb({ ...place.assent, login }) })
  const page = await browser.get(pagePath(await askAlice(place)))
  expect(page.status).toBe(403)
  expect(page.text).toContain('Sign in first')
})
