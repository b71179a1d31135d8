import { describe, expect, test } from 'vitest'
import { enrolledBrowser, pagePath, signedInBrowser, testBrowser } from '../support/test-browser.ts'
import { askLocal, localPlace, loginPlace } from '../support/web/places.ts'

const always = {
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

describe('every answer', () => {
  test('carries what keeps a browser safe, whatever it is (S-02, S-11)', async () => {
    const place = await localPlace({ limits: { bodyBytes: 2_000 } })
    const browser = await enrolledBrowser(place)
    const asked = await askLocal(place)
    const stranger = testBrowser(place)
    const answers = [
      await browser.get(pagePath(asked)),
      await browser.get(`/elicit/${asked.id}/status`),
      await browser.get(`/elicit/${asked.id}/confirm`),
      await browser.get('/'),
      await browser.get('/nothing/here'),
      await browser.get('/elicit/never-was/form'),
      await browser.post(pagePath(asked), { answer: 'accept' }),
      await browser.post(pagePath(asked), { answer: 'decline', csrf: 'x' }),
      await browser.post(pagePath(asked), { 'field.branch': 'x'.repeat(3_000) }),
      await browser.get('/connections', { host: 'evil.example' }),
      await stranger.get(pagePath(asked)),
      await stranger.post('/enroll?code=x'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 303, 303, 404, 404, 422, 403, 413, 403, 403, 403])
    for (const { headers } of answers) {
      expect(Object.fromEntries(headers)).toMatchObject(always)
      expect(headers.get('permissions-policy')).toContain('camera=()')
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'nonce-([\w-]{22})'; script-src 'nonce-\1'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      )
      expect(headers.get('strict-transport-security')).toBeNull()
    }
  })

  test('has a nonce of its own, which its style and script carry', async () => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const nonceOf = ({ headers }: { headers: Headers }) =>
      /nonce-([\w-]+)/.exec(String(headers.get('content-security-policy')))?.[1]
    const [one, two] = [await browser.get('/connections'), await browser.get('/connections')]
    expect(nonceOf(one)).not.toBe(nonceOf(two))
    expect(one.text).toContain(`<style nonce="${nonceOf(one)}">`)
    expect(two.text).toContain(`<script nonce="${nonceOf(two)}">`)
  })

  test('without a body says the same of itself', async () => {
    const place = await localPlace()
    const browser = await enrolledBrowser(place)
    const asked = await askLocal(place)
    const cookie = `assent=${browser.cookies.get('assent')}`
    const request = new Request(`http://127.0.0.1:4180${pagePath(asked)}`, { method: 'HEAD', headers: { cookie } })
    const head = await place.web.fetch(request)
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('x-frame-options')).toBe('DENY')
  })
})

describe('over https', () => {
  const publicUrl = 'https://assent.example.com'

  test('the cookie can be planted by no other host (S-03), and the browser is told to stay with https', async () => {
    const place = await loginPlace({}, { publicUrl })
    const browser = testBrowser(place, publicUrl)
    const away = await browser.get('/login')
    expect(away.headers.getSetCookie()[0]).toMatch(
      /^__Host-assent-login-[\w-]{8}=\S+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const state = new URL(away.location as string).searchParams.get('state')
    const back = await browser.get(`/login/callback?code=alice&state=${state}`)
    expect(back.headers.getSetCookie().at(-1)).toMatch(
      /^__Host-assent=[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect(back.headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/)
    expect((await browser.get('/connections')).status).toBe(200)
  })

  test('a cookie without that name is nobody’s', async () => {
    const place = await loginPlace({}, { publicUrl })
    const plain = await loginPlace({}, { store: place.assent.store })
    const signedIn = await signedInBrowser(plain, 'alice')
    const browser = testBrowser(place, publicUrl)
    browser.cookies.set('assent', signedIn.cookies.get('assent') as string)
    expect((await browser.get('/connections')).status).toBe(303)
    browser.cookies.set('__Host-assent', signedIn.cookies.get('assent') as string)
    expect((await browser.get('/connections')).status).toBe(200)
  })
})
