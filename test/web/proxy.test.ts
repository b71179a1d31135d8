import { describe, expect, test } from 'vitest'
import { anAsk } from '../support/asks.ts'
import { pagePath, testBrowser } from '../support/test-browser.ts'
import { issuer, localPlace, loginPlace, type Place } from '../support/web/places.ts'

const proxy = { header: 'x-user', issuer, from: ['10.0.0.7'], groupsHeader: 'x-groups' }
const publicUrl = 'https://assent.example.com'

const through = (place: Place, remoteAddress: string | undefined) =>
  testBrowser(
    place,
    publicUrl,
    remoteAddress === undefined ? undefined : { incoming: { socket: { remoteAddress } as never } },
  )

describe('a proxy that signs people in', () => {
  test('says who looks, from its own address', async () => {
    const place = await localPlace({ proxy }, { publicUrl })
    const { elicitation } = await place.assent.ask(anAsk())
    const browser = through(place, '::ffff:10.0.0.7')
    const asAlice = { 'x-user': 'alice', 'x-forwarded-for': '198.51.100.1' }
    expect((await browser.get(pagePath(elicitation), asAlice)).text).toContain('Which branch?')
    const sent = await browser.post(pagePath(elicitation), { answer: 'decline' }, asAlice)
    expect(sent.status).toBe(303)
    expect((await place.assent.get(elicitation.id))?.state).toMatchObject({ by: { participant: `alice@${issuer}` } })
  })

  test('names groups that were asked', async () => {
    const place = await localPlace({ proxy }, { publicUrl })
    const { elicitation } = await place.assent.ask(anAsk({ anyOf: ['group:ops'] }))
    const browser = through(place, '10.0.0.7')
    expect((await browser.get(pagePath(elicitation), { 'x-user': 'carol', 'x-groups': 'dev, ops' })).status).toBe(200)
    expect((await browser.get(pagePath(elicitation), { 'x-user': 'carol', 'x-groups': 'dev' })).status).toBe(404)
  })
})

describe('attacks with the header of a proxy', () => {
  test.each(['203.0.113.9', '127.0.0.1', '10.0.0.70', undefined])(
    'from another address (%s) it says nothing',
    async (address) => {
      const place = await localPlace({ proxy }, { publicUrl })
      const { elicitation } = await place.assent.ask(anAsk())
      const page = await through(place, address).get(pagePath(elicitation), { 'x-user': 'alice' })
      expect(page.status).toBe(403)
      expect(page.text).toContain('Sign in first')
    },
  )

  test('without a proxy it says nothing', async () => {
    const place = await loginPlace({}, { publicUrl })
    const { elicitation } = await place.assent.ask(anAsk())
    const page = await through(place, '10.0.0.7').get(pagePath(elicitation), { 'x-user': 'alice' })
    expect(page.status).toBe(303)
  })

  test('an empty one, or two at once, are not Alice', async () => {
    const place = await localPlace({ proxy }, { publicUrl })
    const { elicitation } = await place.assent.ask(anAsk())
    const browser = through(place, '10.0.0.7')
    for (const [user, status] of [
      ['', 403],
      [' ', 403],
      ['mallory, alice', 404],
    ] as const) {
      expect((await browser.get(pagePath(elicitation), { 'x-user': user })).status).toBe(status)
    }
  })

  test('a form needs the token of the browser that the person was shown it in', async () => {
    const place = await localPlace({ proxy }, { publicUrl })
    const { elicitation } = await place.assent.ask(anAsk())
    const [browser, other] = [through(place, '10.0.0.7'), through(place, '10.0.0.7')]
    const asAlice = { 'x-user': 'alice' }
    await browser.get(pagePath(elicitation), asAlice)
    await other.get(pagePath(elicitation), asAlice)
    const page = await browser.post(pagePath(elicitation), { answer: 'accept', csrf: other.csrf }, asAlice)
    expect(page.status).toBe(403)
    const bare = through(place, '10.0.0.7')
    expect((await bare.post(pagePath(elicitation), { answer: 'accept' }, asAlice)).status).toBe(403)
  })

  test('no browser can be enrolled by a link where a proxy signs people in', async () => {
    const place = await localPlace({ proxy }, { publicUrl })
    const { pathname, search } = new URL(await place.web.enrollLink())
    expect((await through(place, '10.0.0.7').post(`${pathname}${search}`)).status).toBe(404)
  })
})
