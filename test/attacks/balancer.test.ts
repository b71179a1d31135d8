import { describe, expect, test } from 'vitest'
import { BadArgument } from '../../src/base/errors.ts'
import { enrolledBrowser, signedInBrowser, type TestBrowser, testBrowser } from '../support/test-browser.ts'
import { localPlace, loginPlace, type Place } from '../support/web/places.ts'

const balancer = '10.0.0.5'
const limits = { perAddressPerMinute: 20 }

/** A browser whose requests arrive from this address. */
function from(place: Place, remoteAddress: string, known?: TestBrowser): TestBrowser {
  const browser = testBrowser(place, undefined, { incoming: { socket: { remoteAddress } as never } })
  for (const [name, value] of known?.cookies ?? []) browser.cookies.set(name, value)
  return browser
}

const through = (address: string, before = '') => ({ 'x-forwarded-for': `${before}${address}` })

async function flood(browser: TestBrowser, headers: Record<string, string> = {}, path = '/inbox'): Promise<number> {
  for (let request = 0; request < 25; request += 1) await browser.get(path, headers)
  return (await browser.get(path, headers)).status
}

describe('a stranger who floods the pages through a balancer', () => {
  test('keeps nobody out who is signed in, though all have one address', async () => {
    const place = await loginPlace({ limits })
    const alice = from(place, balancer, await signedInBrowser(place, 'alice'))
    expect(await flood(from(place, balancer))).toBe(429)
    expect((await alice.get('/inbox')).status).toBe(200)
    // A made-up cookie is a stranger's.
    const forged = from(place, balancer)
    forged.cookies.set('assent', 'x'.repeat(43))
    expect((await forged.get('/inbox')).status).toBe(429)
  })

  test('keeps no other stranger out where the balancer is trusted', async () => {
    const place = await loginPlace({ limits, trustedProxies: [balancer] })
    const anybody = from(place, balancer)
    expect(await flood(anybody, through('203.0.113.9'))).toBe(429)
    expect((await anybody.get('/login', through('198.51.100.1'))).status).toBe(303)
  })

  test('is counted whatever it adds to X-Forwarded-For itself', async () => {
    const place = await loginPlace({ limits, trustedProxies: ['10.0.0.0/24'] })
    const anybody = from(place, `::ffff:${balancer}`)
    for (let request = 0; request < 25; request += 1) {
      await anybody.get('/inbox', through('203.0.113.9', `192.0.2.${request}, nonsense, `))
    }
    expect((await anybody.get('/inbox', through('203.0.113.9', '192.0.2.77, '))).status).toBe(429)
    // Through two proxies of ours the first of them says who it is.
    expect((await anybody.get('/inbox', through('10.0.0.9', '203.0.113.9, '))).status).toBe(429)
    expect((await anybody.get('/login', through('203.0.113.10'))).status).toBe(303)
  })

  test('is counted by the address of its socket where no proxy is trusted', async () => {
    const place = await loginPlace({ limits })
    const stranger = from(place, '203.0.113.9')
    for (let request = 0; request < 25; request += 1) await stranger.get('/inbox', through(`192.0.2.${request}`))
    expect((await stranger.get('/inbox', through('192.0.2.99'))).status).toBe(429)
  })

  test('has one address in an IPv6 network, and one on this machine', async () => {
    const place = await loginPlace({ limits })
    for (let host = 1; host <= 25; host += 1) await from(place, `2001:db8:1:2::${host.toString(16)}`).get('/inbox')
    expect((await from(place, '2001:db8:1:2:ffff::1').get('/inbox')).status).toBe(429)
    expect((await from(place, '2001:db8:1:3::1').get('/inbox')).status).toBe(303)

    const local = await localPlace({ limits })
    const mine = from(local, '127.0.0.1', await enrolledBrowser(local))
    for (let host = 1; host <= 25; host += 1) await from(local, `127.0.0.${host}`).get('/inbox')
    expect((await from(local, '127.0.77.1').get('/inbox')).status).toBe(429)
    expect((await mine.get('/inbox')).status).toBe(200)
  })
})

test('a person is counted as one, from wherever they come, and no other with them', async () => {
  const place = await loginPlace({ limits: { perPersonPerMinute: 10 } })
  const [alice, bob] = [await signedInBrowser(place, 'alice'), await signedInBrowser(place, 'bob')]
  for (let host = 1; host <= 10; host += 1) await from(place, `198.51.100.${host}`, alice).get('/inbox')
  const late = await from(place, '198.51.100.77', alice).get('/inbox')
  expect(late.status).toBe(429)
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await from(place, '198.51.100.1', bob).get('/inbox')).status).toBe(200)
})

test.each([
  [['10.0.0.0/99'], '"10.0.0.0/99" is neither an IP address nor a range. Write trustedProxies such as 10.0.0.0/8.'],
  [['balancer'], '"balancer" is neither an IP address nor a range.'],
])('a trusted proxy that is none is refused: %j', async (trustedProxies, words) => {
  await expect(loginPlace({ trustedProxies })).rejects.toThrow(words)
})

test('without a login a trusted proxy would be of no use, and is refused', async () => {
  await expect(localPlace({ trustedProxies: [balancer] })).rejects.toThrow(BadArgument)
})
