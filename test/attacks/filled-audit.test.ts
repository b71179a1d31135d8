import { expect, test } from 'vitest'
import { fixedClock } from '../../src/testing/index.ts'
import { createRepeats } from '../../src/web/http/rates.ts'
import { enrolledBrowser, testBrowser } from '../support/test-browser.ts'
import { auditOf, localPlace, loginPlace, type Place } from '../support/web/places.ts'

const at = (place: Place, remoteAddress: string) =>
  testBrowser(place, undefined, { incoming: { socket: { remoteAddress } as never } })
const refusals = async (place: Place) => (await auditOf(place, 'page-refused')).map(({ data }) => data)

test('200 wrong codes from all addresses of this machine are one event a minute, with a count', async () => {
  const place = await localPlace()
  const wrong = (host: number) => at(place, `127.0.0.${host}`).get('/enroll?code=wrong')
  for (let host = 1; host <= 200; host += 1) expect((await wrong(host)).status).toBe(403)
  expect(await refusals(place)).toEqual([{ reason: 'link-used', method: 'GET' }])

  place.clock.advance(60_000)
  for (let host = 1; host <= 50; host += 1) await wrong(host)
  place.clock.advance(60_000)
  place.clock.advance(60_000)
  expect((await refusals(place)).slice(1)).toEqual([
    { reason: 'link-used', count: 199 },
    { reason: 'link-used', count: 50 },
  ])
  // After a quiet minute it is told at once again.
  await wrong(1)
  expect(await refusals(place)).toHaveLength(4)
})

test('what was counted is told when the pages are closed', async () => {
  const place = await localPlace()
  for (const path of ['/enroll?code=a', '/enroll?code=b', '/inbox', '/inbox', '/inbox'])
    await testBrowser(place).get(path)
  place.web.close()
  expect(await refusals(place)).toEqual([
    { reason: 'link-used', method: 'GET' },
    { reason: 'not-enrolled', method: 'GET' },
    { reason: 'link-used', count: 1 },
    { reason: 'not-enrolled', count: 2 },
  ])
})

test('addresses are counted apart, and a person who is known is told each time', async () => {
  const place = await loginPlace()
  for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.1']) {
    await at(place, address).get('/login/callback?code=x&state=y')
  }
  expect(await refusals(place)).toHaveLength(2)

  const local = await localPlace()
  const browser = await enrolledBrowser(local)
  for (let time = 0; time < 3; time += 1)
    await browser.post('/grants/unknown/revoke', {}, { origin: 'https://evil.example' })
  expect((await refusals(local)).length).toBe(3)
})

test('however many addresses there are, few are remembered', () => {
  const clock = fixedClock()
  const repeats = createRepeats(clock)
  const told: [string, number][] = []
  const isFirst = (kind: string) => repeats.isFirst(kind, (count) => told.push([kind, count]))
  const first = Array.from({ length: 5_000 }, (_, index) => isFirst(`address ${index}`)).filter(Boolean)
  expect(first).toHaveLength(1_001)
  clock.advance(60_000)
  expect(told).toEqual([['address 1000', 3_999]])
})
