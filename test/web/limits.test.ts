import { describe, expect, test } from 'vitest'
import { AssentError } from '../../src/base/errors.ts'
import { createWeb } from '../../src/web/index.ts'
import { anAsk } from '../support/asks.ts'
import { enrolledBrowser, pagePath, signedInBrowser, testBrowser } from '../support/test-browser.ts'
import { askLocal, localPlace, loginPlace, type Place } from '../support/web/places.ts'

describe('too many requests', () => {
  test('from one address are told to wait, whichever stranger sends them', async () => {
    const place = await loginPlace({ limits: { perAddressPerMinute: 5 } })
    const at = (remoteAddress: string) =>
      testBrowser(place, undefined, { incoming: { socket: { remoteAddress } as never } })
    const [one, other] = [at('203.0.113.1'), at('203.0.113.2')]
    for (let request = 0; request < 5; request += 1) expect((await one.get('/nothing')).status).toBe(404)

    const page = await one.get('/nothing')
    expect(page.status).toBe(429)
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(page.text).toContain('Too many requests')
    expect((await other.get('/nothing')).status).toBe(404)
  })

  test('about one question are told to wait, and other questions are served', async () => {
    const place = await localPlace({ limits: { perQuestionPerMinute: 3 } })
    const browser = await enrolledBrowser(place)
    const [one, other] = [await askLocal(place), await askLocal(place, { about: 'other' })]
    for (let request = 0; request < 3; request += 1) expect((await browser.get(pagePath(one))).status).toBe(200)

    const page = await browser.post(pagePath(one), { answer: 'accept', 'field.branch': 'main' })
    expect(page.status).toBe(429)
    expect(page.headers.has('retry-after')).toBe(true)
    expect((await place.assent.get(one.id))?.state.kind).toBe('open')
    expect((await browser.get(`/elicit/${one.id}/status`)).status).toBe(429)
    expect((await browser.get(pagePath(other))).status).toBe(200)
  })

  test('by a stranger do not keep the person out', async () => {
    const place = await loginPlace({ limits: { perQuestionPerMinute: 3 } })
    const { elicitation } = await place.assent.ask(anAsk())
    const [bob, alice] = [await signedInBrowser(place, 'bob'), await signedInBrowser(place, 'alice')]
    for (let request = 0; request < 5; request += 1) await bob.get(pagePath(elicitation))
    expect((await bob.get(pagePath(elicitation))).status).toBe(429)
    expect((await alice.get(pagePath(elicitation))).status).toBe(200)
  })
})

test('a body that is too large is not read, and settles nothing', async () => {
  const place = await localPlace()
  const browser = await enrolledBrowser(place)
  const asked = await askLocal(place)
  await browser.get(pagePath(asked))
  const page = await browser.post(pagePath(asked), { answer: 'accept', 'field.branch': 'x'.repeat(1_048_577) })
  expect(page.status).toBe(413)
  expect((await place.assent.get(asked.id))?.state.kind).toBe('open')
})

test('a body that is no form counts for nothing', async () => {
  const place = await localPlace()
  const browser = await enrolledBrowser(place)
  const asked = await askLocal(place)
  const page = await browser.post(pagePath(asked), {}, { 'content-type': 'application/json' })
  expect(page.status).toBe(400)
  expect((await place.assent.get(asked.id))?.state.kind).toBe('open')
})

describe('what breaks while serving', () => {
  class Broken extends AssentError {
    readonly code = 'store_unavailable'
  }

  async function breaking(error: unknown): Promise<Place> {
    const place = await localPlace()
    const get = () => Promise.reject(error)
    return { ...place, web: createWeb({ ...place.assent, get }, { onError: (told) => place.errors.push(told) }) }
  }

  test.each([
    ['an error that nobody expected', new Error('planted-secret'), 500],
    ['a store that is down', new Broken('The store is down.', { detail: 'planted-secret' }), 503],
  ])('%s is told without its insides, and the log knows', async (_, error, status) => {
    const place = await breaking(error)
    const browser = await enrolledBrowser(place)
    const page = await browser.get('/elicit/some-id/form')
    expect(page.status).toBe(status)
    expect(page.text).toContain('Something broke on our side')
    expect(page.text).not.toContain('planted-secret')
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    expect(place.errors).toEqual([error])
  })
})

describe('settings that would serve the wrong people', () => {
  test.each([
    [{ publicUrl: 'https://assent.example.com' }, 'this machine only'],
    [{ publicUrl: 'http://127.0.0.1:4180/pages' }, 'without a path'],
    [{ pages: { prefix: 'oauth' } }, 'prefix'],
    [{ pages: { prefix: ':id' } }, 'prefix'],
  ])('such as %j are refused', async (options, words) => {
    await expect(localPlace({}, options)).rejects.toThrow(words)
  })

  test('such as http where others can listen are refused', async () => {
    await expect(loginPlace({}, { publicUrl: 'http://assent.example.com' })).rejects.toThrow('https')
  })

  test('such as other host names without a login are refused', async () => {
    await expect(localPlace({ allowedHosts: ['box.lan'] })).rejects.toThrow('allowedHosts')
  })
})
