import { describe, expect, onTestFinished, test } from 'vitest'
import { pushChannel } from '../../src/channels/push/index.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import type { WebOptions } from '../../src/web/index.ts'
import { alice } from '../support/approval/a-call.ts'
import { enrolledBrowser, signedInBrowser, type TestBrowser, testBrowser } from '../support/test-browser.ts'
import { askLocal, auditOf, issuer, localPlace, loginPlace } from '../support/web/places.ts'
import { aPushService } from '../support/web/push-service.ts'

async function aPlace(make: typeof localPlace = localPlace, options: WebOptions = {}, allowPrivate = true) {
  const service = await aPushService()
  const channel = pushChannel({ contact: 'mailto:ops@example.com', allowPrivate, retries: [], clock: fixedClock() })
  onTestFinished(() => channel.close?.())
  return { ...(await make(options, { channels: [channel] })), service, channel }
}

/** Signs in, as after an hour, when the login is asked again. */
async function signIn(browser: TestBrowser, subject: string) {
  const { location } = await browser.get('/login')
  const state = new URL(location as string, issuer).searchParams.get('state')
  return state === null ? browser.get('/login') : browser.get(`/login/callback?code=${subject}&state=${state}`)
}

const actionIn = (text: string, what: 'test' | 'remove') =>
  new RegExp(`action="(/push/[\\w-]+/${what})"`).exec(text)?.[1] ?? ''

describe('notifications', () => {
  test('are switched on in a browser, tried, listed and removed', async () => {
    const place = await aPlace()
    const browser = await enrolledBrowser(place)
    const empty = await browser.get('/push')
    expect(empty.text).toContain('No browser tells you')
    expect(empty.text).toContain(`data-push="${place.channel.browsers?.publicKey()}"`)
    const added = await browser.post('/push', { subscription: place.service.subscribe('laptop') })
    expect([added.status, added.location]).toEqual([303, '/push?done=added'])
    const { text } = await browser.get('/push?done=added')
    expect(text).toContain('This browser tells you from now on.')
    expect(text).not.toContain('/to/laptop')
    expect((await browser.post(actionIn(text, 'test'))).location).toBe('/push?done=tested')
    expect(JSON.parse(place.service.pushed[0]?.text ?? '')).toMatchObject({ title: 'Notifications work' })
    expect((await browser.post(actionIn(text, 'remove'))).location).toBe('/push?done=removed')
    expect((await browser.get('/push')).text).toContain('No browser tells you')
    expect(await auditOf(place, 'push-added')).toHaveLength(1)
    expect(await auditOf(place, 'push-removed')).toMatchObject([{ data: { by: 'person' } }])
  })

  test('are told of only where a channel sends them', async () => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const { text, headers } = await browser.get('/push')
    expect(text).toContain('Nothing is sent to browsers here.')
    expect(headers.get('content-security-policy')).not.toContain('worker-src')
    const { subscribe } = await aPushService()
    await browser.get('/tokens')
    expect((await browser.post('/push', { subscription: subscribe('x') })).status).toBe(422)
    expect(await place.assent.subscriptions.list(localParticipant)).toEqual([])
  })

  test('end with the browser that is removed, also where it is removed at a terminal', async () => {
    const place = await aPlace()
    const browser = await enrolledBrowser(place)
    const keeps = await enrolledBrowser(place)
    for (const [one, name] of [
      [browser, 'one'],
      [keeps, 'two'],
    ] as const) {
      await one.get('/push')
      await one.post('/push', { subscription: place.service.subscribe(name) })
    }
    const [first, second] = await place.assent.store.browsers.list(localParticipant)
    await browser.post(`/browsers/${first?.id}/remove`)
    expect(await place.assent.subscriptions.list(localParticipant)).toMatchObject([{ browser: second?.id }])
    await place.assent.store.browsers.remove(localParticipant, second?.id ?? '')
    await askLocal(place)
    await expect.poll(() => place.assent.subscriptions.list(localParticipant)).toEqual([])
    expect(place.service.pushed).toEqual([])
    expect((await auditOf(place, 'push-removed')).map(({ data }) => data.by)).toEqual(['browser', 'browser'])
  })

  test('of somebody who signs out end there', async () => {
    const place = await aPlace(loginPlace)
    const browser = await signedInBrowser(place, 'alice')
    await browser.get('/push')
    await browser.post('/push', { subscription: place.service.subscribe('laptop') })
    expect(await place.assent.store.pushes.listAll(10)).toHaveLength(1)
    await browser.post('/logout')
    expect(await place.assent.store.pushes.listAll(10)).toEqual([])
  })

  test('of somebody who signs out end there also after the sign-in was renewed', async () => {
    const place = await aPlace(loginPlace)
    const browser = await signedInBrowser(place, 'alice')
    await browser.get('/push')
    await browser.post('/push', { subscription: place.service.subscribe('laptop') })
    place.clock.advance(61 * 60_000)
    await signIn(browser, 'alice')
    expect(await place.assent.store.pushes.listAll(10)).toHaveLength(1)
    await browser.get('/push')
    await browser.post('/logout')
    expect(await place.assent.store.pushes.listAll(10)).toEqual([])
  })

  test('of one person end where another signs in, and nowhere else', async () => {
    const place = await aPlace(loginPlace)
    const [shared, own] = [await signedInBrowser(place, 'alice'), await signedInBrowser(place, 'alice')]
    for (const [one, name] of [
      [shared, 'shared'],
      [own, 'own'],
    ] as const) {
      await one.get('/push')
      await one.post('/push', { subscription: place.service.subscribe(name) })
    }
    place.clock.advance(61 * 60_000)
    await signIn(shared, 'bob')
    await signIn(own, 'alice')
    expect(await place.assent.store.pushes.listAll(10)).toHaveLength(1)
    const forged = await signedInBrowser(place, 'carol')
    for (const value of ['x', `${'0'.repeat(36)}%20${alice}`, 'x%20not-a-person']) {
      forged.cookies.set('assent-push', value)
      expect((await signIn(forged, 'carol')).status).toBe(303)
    }
    expect(await place.assent.store.pushes.listAll(10)).toHaveLength(1)
  })

  test('go to no more browsers of one person than the limit', async () => {
    const place = await aPlace(localPlace, { limits: { pushesPerPerson: 1 } })
    const browser = await enrolledBrowser(place)
    await browser.get('/push')
    const subscription = place.service.subscribe('one')
    await browser.post('/push', { subscription })
    // The same browser again is no other one.
    expect((await browser.post('/push', { subscription })).status).toBe(303)
    const refused = await browser.post('/push', { subscription: place.service.subscribe('two') })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('You have notifications in 1 browser, which is the most.')
    expect(await place.assent.subscriptions.list(localParticipant)).toHaveLength(1)
  })

  test('of a browser that its push service forgot are removed by the test', async () => {
    const place = await aPlace()
    const browser = await enrolledBrowser(place)
    await browser.get('/push')
    await browser.post('/push', { subscription: place.service.subscribe('gone') })
    const { text } = await browser.get('/push')
    place.service.forget('gone')
    expect((await browser.post(actionIn(text, 'test'))).text).toContain('so it was removed')
    expect((await browser.get('/push')).text).toContain('No browser tells you')
  })
})

describe('nobody gets at the notifications of others:', () => {
  test('a stranger sees and posts nothing, and another site neither', async () => {
    const place = await aPlace()
    const browser = await enrolledBrowser(place)
    await browser.get('/push')
    const subscription = place.service.subscribe('laptop')
    const stranger = testBrowser(place)
    expect((await stranger.get('/push')).status).toBe(403)
    expect((await stranger.post('/push', { subscription })).status).toBe(403)
    expect((await browser.post('/push', { subscription, csrf: 'x' })).status).toBe(403)
    expect((await browser.post('/push', { subscription }, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await browser.post('/push', { subscription }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect(await place.assent.subscriptions.list(localParticipant)).toEqual([])
  })

  test('another person can neither take over, try nor remove a browser', async () => {
    const place = await aPlace(loginPlace)
    const [alice, bob] = [await signedInBrowser(place, 'alice'), await signedInBrowser(place, 'bob')]
    const subscription = place.service.subscribe('laptop')
    await alice.get('/push')
    await alice.post('/push', { subscription })
    const { text } = await alice.get('/push')
    await bob.get('/push')
    const taken = await bob.post('/push', { subscription })
    expect([taken.status, taken.text.includes('notifications of somebody else')]).toEqual([422, true])
    expect((await bob.post(actionIn(text, 'test'))).status).toBe(404)
    expect((await bob.post(actionIn(text, 'remove'))).status).toBe(404)
    expect(place.service.pushed).toEqual([])
    expect((await alice.get('/push')).text).toContain('Remove')
  })

  test.each([
    ['a private network', 'https://10.0.0.1/x'],
    ['this machine', 'http://127.0.0.1:1/x'],
    ['the metadata of a cloud', 'https://169.254.169.254/x'],
  ])('an address in %s is refused', async (_, endpoint) => {
    const place = await aPlace(localPlace, {}, false)
    const browser = await enrolledBrowser(place)
    await browser.get('/push')
    const { keys } = JSON.parse(place.service.subscribe('x'))
    const refused = await browser.post('/push', { subscription: JSON.stringify({ endpoint, keys }) })
    expect([refused.status, refused.text.includes('not one of a push service')]).toEqual([422, true])
    expect(await place.assent.subscriptions.list(localParticipant)).toEqual([])
  })
})

test('what makes the pages an app is for everybody, small, and allowed no more than it needs', async () => {
  const stranger = testBrowser(await aPlace())
  const manifest = await stranger.get('/app/manifest.webmanifest')
  expect(JSON.parse(manifest.text)).toMatchObject({ start_url: '/inbox', scope: '/', display: 'standalone' })
  const icon = await stranger.get('/app/icon.svg')
  expect(icon.headers.get('content-type')).toBe('image/svg+xml')
  const worker = await stranger.get('/app/worker.js')
  expect(worker.headers.get('service-worker-allowed')).toBe('/')
  expect(worker.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(worker.headers.get('content-security-policy')).toContain("connect-src 'self'")
  expect(worker.text).not.toContain('caches')
  const browser = await enrolledBrowser(await aPlace())
  const policy = String((await browser.get('/push')).headers.get('content-security-policy'))
  expect(policy).toContain("img-src 'self' data:; worker-src 'self'; manifest-src 'self'; form-action")
  expect(policy).not.toContain('connect-src')
  expect((await browser.get('/inbox')).headers.get('content-security-policy')).not.toContain('worker-src')
})
