import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect11, connect26, connectOld } from '../support/asking/asking-clients.ts'
import { serverStores } from '../support/stores.ts'
import {
  auditOf,
  callWhile,
  connectAccount,
  enrolled,
  install,
  movableTime,
  newcomer,
  signIn,
  title,
} from '../support/walks/installation.ts'
import { openBrowser } from '../support/web/chromium.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const local = 'local' as never
const notesOfAda = 'A note of ada'
const clients = [
  ['2025-11-25', connect11],
  ['2025-11-25 by SDK 1.32', connectOld],
  ['2026-07-28', connect26],
] as const
/** Where all clients of 2025 go the same way, one of them will do. */
const twoClients = [clients[0], clients[2]] as const

describe('a tool that needs an account', () => {
  test.each(clients)(
    'asks, the person connects it in the browser, and the same call returns the notes; the next asks nothing (%s)',
    async (_, how) => {
      const place = await install()
      const client = await place.connect(how)
      const page = await enrolled(browser, place)

      const result = await callWhile(client, 'list_notes', async (url) => {
        expect(url).toMatch(`${place.origin}/oauth/connect/notes?elicitation_id=`)
        await page.goto(url)
        const words = await page.getByRole('main').textContent()
        for (const part of ['notebook', 'Claude Code', 'Notes', 'notes.read', new URL(place.oauth.issuer).host]) {
          expect(words).toContain(part)
        }
        // Nobody is sent to a provider by opening a link.
        expect(place.oauth.count('/auth')).toBe(0)
        await connectAccount(page, url)
      })
      expect(result).toMatchObject({ text: notesOfAda, isError: false })
      expect(client.asked).toHaveLength(1)

      client.answers(() => expect.unreachable('asked again'))
      expect((await client.call('list_notes')).text).toBe(notesOfAda)
      expect(place.oauth.count('/token')).toBe(1)
      expect(await auditOf(place, 'connect-begun', 'connected')).toMatchObject([
        { kind: 'connect-begun', data: { provider: 'notes', scopes: ['notes.read'] } },
        { kind: 'connected', data: { provider: 'notes', scopes: ['notes.read'], by: 'consent' } },
      ])
      expect(place.errors).toEqual([])
    },
  )

  test.each(Object.entries(serverStores))('does so on %s', async (_, address) => {
    const place = await install({ store: await address() })
    const client = await place.connect(connect26)
    const page = await enrolled(browser, place)
    expect((await callWhile(client, 'list_notes', (url) => connectAccount(page, url))).text).toBe(notesOfAda)
    expect((await client.call('list_notes')).text).toBe(notesOfAda)
    expect(client.asked).toHaveLength(1)
  })

  test.each(twoClients)(
    'has a token of a minute renewed unseen: fifty calls at once, one request to renew (%s)',
    async (_, how) => {
      const time = movableTime()
      const place = await install({ oauth: { accessTokenTtl: 60 } })
      const client = await place.connect(how)
      const page = await enrolled(browser, place)
      await callWhile(client, 'list_notes', (url) => connectAccount(page, url))
      const [first = ''] = place.held

      time.advance(61_000)
      const refused = await fetch(place.oauth.endpoints.notes, { headers: { Authorization: `Bearer ${first}` } })
      expect(refused.status).toBe(401)
      place.held.length = 0
      client.answers(() => expect.unreachable('asked again'))
      const results = await Promise.all(Array.from({ length: 50 }, () => client.call('list_notes')))
      expect(new Set(results.map(({ text }) => text))).toEqual(new Set([notesOfAda]))
      expect(place.oauth.count('/token', 'refresh_token')).toBe(1)
      expect(new Set(place.held).size).toBe(1)
      expect(place.held).not.toContain(first)
      expect(await auditOf(place, 'connection-rejected')).toEqual([])
    },
  )

  test.each(clients)('asks again when the person took their consent back, and then works (%s)', async (_, how) => {
    const place = await install()
    const client = await place.connect(how)
    const page = await enrolled(browser, place)
    await callWhile(client, 'list_notes', (url) => connectAccount(page, url))

    place.oauth.revokeAll('ada')
    const result = await callWhile(client, 'list_notes', (url) => connectAccount(page, url))
    expect(result).toMatchObject({ text: notesOfAda, isError: false })
    expect(client.asked).toHaveLength(2)
    expect(await auditOf(place, 'connection-rejected')).toHaveLength(1)
    expect(await place.assent.connections.list(local)).toMatchObject([{ provider: 'notes', standing: 'good' }])
  })

  test('asks again after the person disconnected it on our page, and tells the provider', async () => {
    const place = await install()
    const client = await place.connect(connect26)
    const page = await enrolled(browser, place)
    await callWhile(client, 'list_notes', (url) => connectAccount(page, url))
    await page.getByRole('link', { name: 'See your connections' }).click()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await expect.poll(() => place.assent.connections.list(local)).toEqual([])
    expect(place.oauth.count('/token/revocation')).toBeGreaterThan(0)
    const [token = ''] = place.held
    const refused = await fetch(place.oauth.endpoints.notes, { headers: { Authorization: `Bearer ${token}` } })
    expect(refused.status).toBe(401)

    client.answers(() => ({ action: 'decline' }))
    expect((await client.call('list_notes')).outcome).toMatchObject({ status: 'declined' })
  })
})

describe('with a login', () => {
  test.each(twoClients)(
    'the person signs in on the page where their token comes from, connects, and the same call goes on (%s)',
    async (_, how) => {
      const place = await install({ withLogin: true })
      const token = await place.oauth.tokenFor('alice', { audience: `${place.origin}/mcp` })
      const client = await place.connect(how, { token })
      const page = await newcomer(browser)

      const result = await callWhile(client, 'list_notes', async (url) => {
        await page.goto(url)
        await signIn(page, 'alice')
        await page.getByRole('button', { name: 'Allow' }).click()
        await title(page, 'Connect your Notes account?')
        expect(page.url()).toBe(url)
        expect(await page.getByRole('main').textContent()).toContain('asked by Claude Code for you')
        await page.getByRole('button', { name: 'Connect', exact: true }).click()
        await page.getByRole('button', { name: 'Allow' }).click()
        await title(page, 'Account connected')
      })
      expect(result).toMatchObject({ text: 'A note of alice', isError: false })

      const bobs = await place.connect(how, {
        token: await place.oauth.tokenFor('bob', { audience: `${place.origin}/mcp` }),
      })
      bobs.answers(() => ({ action: 'decline' }))
      expect((await bobs.call('list_notes')).outcome).toMatchObject({ status: 'declined' })
      expect(place.errors).toEqual([])
    },
  )
})
