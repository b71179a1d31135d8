import { describe, expect, test } from 'vitest'
import { localParticipant } from '../../src/participant/participant.ts'
import { enrolledBrowser, pagePath, type TestBrowser } from '../support/test-browser.ts'
import { askLocal, localPlace, type Place } from '../support/web/places.ts'
import { aProvider, keyProvider } from './providers.ts'

const providers = new Map([
  ['notes', aProvider()],
  ['stripe', keyProvider],
])

const place = () => localPlace({}, { providers })

const askToConnect = (at: Place, provider = 'notes', scopes = ['notes.write']) =>
  askLocal(at, {
    question: { mode: 'url', message: 'Notes are needed', connect: { provider, scopes } },
    purpose: 'connect',
  })

/** Presses Connect, and gives the state that travels to the provider. */
async function goOff(browser: TestBrowser, path: string): Promise<string> {
  await browser.get(path)
  const { status, location } = await browser.post(path, { answer: 'accept' })
  expect(status).toBe(303)
  return new URL(location as string).searchParams.get('state') as string
}

describe('connecting an account', () => {
  test('begins on our page, which names server, client, provider, its host and what is asked for (S-02)', async () => {
    const at = await place()
    const browser = await enrolledBrowser(at)
    const asked = await askToConnect(at)
    expect(pagePath(asked)).toBe(`/oauth/connect/notes?elicitation_id=${asked.id}`)
    const page = await browser.get(pagePath(asked))
    for (const words of ['github', 'Claude Code', 'Notes', 'notes.example.com', 'notes.write']) {
      expect(page.text).toContain(words)
    }
    // Chromium applies form-action to the redirects that follow.
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https:")
  })

  test('sends to the provider and back, keeps the account and settles the question', async () => {
    const at = await place()
    const browser = await enrolledBrowser(at)
    const asked = await askToConnect(at)
    const state = await goOff(browser, pagePath(asked))
    const back = await browser.get(`/oauth/callback?code=good&state=${state}`)

    expect(back.status).toBe(200)
    expect(back.text).toContain('Account connected')
    expect((await at.assent.get(asked.id))?.state).toMatchObject({ answer: { action: 'accept' } })
    expect(await at.assent.connections.list(localParticipant)).toMatchObject([{ provider: 'notes' }])
    expect((await browser.get(pagePath(asked))).text).toContain('Account connected')
    expect(browser.seen.join('\n')).not.toContain('planted-token')
  })

  test.each([
    ['error=access_denied', 200, 'Not connected', 'declined'],
    ['code=less', 200, 'less access than needed', 'declined'],
    ['code=bad', 502, 'Notes could not be reached.', 'failed'],
  ])('that comes back with %s ends in a clear page', async (query, status, words, end) => {
    const at = await place()
    const browser = await enrolledBrowser(at)
    const asked = await askToConnect(at)
    const state = await goOff(browser, pagePath(asked))
    const back = await browser.get(`/oauth/callback?${query}&state=${state}`)
    expect(back.status).toBe(status)
    expect(back.text).toContain(words)
    const shown = await browser.get(`/elicit/${asked.id}/status`)
    expect(JSON.parse(shown.text)).toMatchObject({ status: end })
  })

  test('can be declined or left on our page, and nobody is sent anywhere', async () => {
    for (const [answer, status] of [
      ['decline', 'declined'],
      ['cancel', 'cancelled'],
      ['', 'cancelled'],
    ] as const) {
      const at = await place()
      const browser = await enrolledBrowser(at)
      const asked = await askToConnect(at)
      await browser.get(pagePath(asked))
      expect(await browser.post(pagePath(asked), { answer })).toMatchObject({ status: 303, location: pagePath(asked) })
      expect(JSON.parse((await browser.get(`/elicit/${asked.id}/status`)).text)).toMatchObject({ status })
    }
  })

  test('after the question is over keeps nothing', async () => {
    const at = await place()
    const [browser, other] = [await enrolledBrowser(at), await enrolledBrowser(at)]
    const asked = await askToConnect(at)
    const state = await goOff(browser, pagePath(asked))
    await other.get(pagePath(asked))
    await other.post(pagePath(asked), { answer: 'decline' })

    expect((await browser.get(`/oauth/callback?code=good&state=${state}`)).status).toBe(409)
    expect(await at.assent.connections.list(localParticipant)).toEqual([])
    expect((await browser.post(pagePath(asked), { answer: 'accept' })).status).toBe(409)
  })

  test('under the name of another provider leads to the right one', async () => {
    const at = await place()
    const browser = await enrolledBrowser(at)
    const asked = await askToConnect(at)
    const wrong = pagePath(asked).replace('/notes', '/stripe')
    expect(await browser.get(wrong)).toMatchObject({ status: 303, location: pagePath(asked) })
    expect((await browser.get('/oauth/connect/unknown')).status).toBe(404)
    expect((await browser.get(`/elicit/${asked.id}/form`)).location).toBe(pagePath(asked))
  })

  test('can be begun by oneself, and given up again', async () => {
    const at = await place()
    const browser = await enrolledBrowser(at)
    expect((await browser.get('/connections')).text).toContain('href="/oauth/connect/notes"')
    const state = await goOff(browser, '/oauth/connect/notes')
    await browser.get(`/oauth/callback?code=good&state=${state}`)

    const page = await browser.get('/connections')
    expect(page.text).toContain('action="/connections/notes/disconnect"')
    expect(await browser.post('/connections/notes/disconnect')).toMatchObject({ status: 303, location: '/connections' })
    expect(await at.assent.connections.list(localParticipant)).toEqual([])
    await browser.get('/oauth/connect/notes')
    expect((await browser.post('/oauth/connect/notes', { answer: 'decline' })).location).toBe('/connections')
  })
})

describe('a key as an account', () => {
  test('is kept from our page alone, and shown nowhere', async () => {
    const at = await place()
    const browser = await enrolledBrowser(at)
    const asked = await askToConnect(at, 'stripe', [])
    const page = await browser.get(pagePath(asked))
    expect(page.text).toContain('Stripe API key')
    // Whatever gets into the page, the key goes to nobody else.
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self';")

    expect((await browser.post(pagePath(asked), { answer: 'accept', 'field.apiKey': ' ' })).status).toBe(422)
    const bad = await browser.post(pagePath(asked), { answer: 'accept', 'field.apiKey': 'planted\nkey' })
    expect(bad.status).toBe(422)
    const kept = await browser.post(pagePath(asked), { answer: 'accept', 'field.apiKey': ' planted-key ' })
    expect(kept.status).toBe(200)
    expect(await at.assent.connections.access(localParticipant, 'stripe')).toMatchObject({ secret: 'planted-key' })
    await browser.get('/connections')
    await browser.get(pagePath(asked))
    expect(browser.seen.join('\n')).not.toMatch(/planted/)
  })
})

describe('attacks on coming back from a provider', () => {
  test.each([
    ['a state that never was', `state=${'A'.repeat(43)}&code=good`],
    ['no state', 'code=good'],
    ['a state that is none', 'state=%00&code=good'],
  ])('%s keeps nothing', async (_, query) => {
    const at = await place()
    const browser = await enrolledBrowser(at)
    expect((await browser.get(`/oauth/callback?${query}`)).status).toBe(403)
    expect(await at.assent.connections.list(localParticipant)).toEqual([])
  })

  test('another browser of the same person cannot finish what this one began', async () => {
    const at = await place()
    const [browser, other] = [await enrolledBrowser(at), await enrolledBrowser(at)]
    const asked = await askToConnect(at)
    const state = await goOff(browser, pagePath(asked))
    const page = await other.get(`/oauth/callback?code=good&state=${state}`)
    expect(page.status).toBe(403)
    expect(page.text).toContain('not started here')
    expect((await at.assent.get(asked.id))?.state.kind).toBe('open')
  })

  test('a replayed answer keeps nothing', async () => {
    const at = await place()
    const browser = await enrolledBrowser(at)
    const asked = await askToConnect(at)
    const path = `/oauth/callback?code=good&state=${await goOff(browser, pagePath(asked))}`
    expect((await browser.get(path)).status).toBe(200)
    expect((await browser.get(path)).status).toBe(403)
  })
})
