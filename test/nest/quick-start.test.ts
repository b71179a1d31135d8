import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Connect, connect11, connect26, connectOld } from '../support/asking/asking-clients.ts'
import { testKeys } from '../support/assents.ts'
import { freshDatabase } from '../support/postgres.ts'
import { openBrowser } from '../support/web/chromium.ts'
import { nestApp } from './apps.ts'
import { callVisiting, elicitationsIn, enrolledPage, pageOf, typeKey } from './persons.ts'
import { type AppOptions, type TestApp, TestGuard } from './start-app.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const clients = [
  ['2025-11-25', connect11],
  ['2025-11-25 by SDK 1.32', connectOld],
  ['2026-07-28', connect26],
] as const
const key = 'sk_live_planted_nest_1234'
const stripe = { service: 'stripe' }
const label = 'stripe API Key'

describe('the Quick Start', () => {
  test.each(clients)('asks for the key on a page, goes on, and asks no second time (%s)', async (_, how) => {
    const app = await nestApp()
    const client = await closing(how, app)
    const page = await enrolledPage(browser, app)
    const result = await callVisiting(client, 'connect-service', stripe, (url) => typeKey(page, url, label, key))
    expect(result).toMatchObject({ text: 'Connected to stripe', isError: false })

    client.answers(() => {
      throw new Error('asked again')
    })
    expect((await client.call('connect-service', stripe)).text).toBe('Connected to stripe')
    expect(client.received()).not.toContain(key)
  })

  test('tells a client without url mode, and a tool that the module is absent', async () => {
    const app = await nestApp()
    const client = await closing(connect26, app, { elicitation: { form: {} } })
    expect((await client.call('connect-service', stripe)).text).toBe('URL elicitation not supported by client')

    const bare = await closing(connect26, await nestApp({ module: false }))
    expect((await bare.call('connect-service', stripe)).text).toBe('Elicitation not configured')
    expect((await bare.call('plain', { name: 'you' })).text).toBe('hello you, no module')
  })
})

describe('with a guard that verifies users', () => {
  const guarded: AppOptions = { guarded: true, module: { guards: [TestGuard] } }

  test.each(clients)("another user's key is not found, whatever the client says (%s)", async (_, how) => {
    const app = await nestApp(guarded)
    const alice = await closing(how, app, {}, 'alice')
    const page = await pageOf(browser, app, 'alice')
    const visit = (url: string) => typeKey(page, url, label, key)
    expect((await callVisiting(alice, 'connect-service', stripe, visit)).text).toBe('Connected to stripe')
    expect((await alice.call('key-of', { user: 'alice' })).text).toBe('found')

    const bob = await closing(how, app, {}, 'bob')
    expect((await bob.call('key-of', { user: 'bob' })).text).toBe('not found')
    expect((await bob.call('key-of', { user: 'alice' })).text).toBe('not found')
    const said = await bob.request('tools/call', {
      name: 'key-of',
      arguments: { user: 'alice' },
      _meta: { userId: 'alice' },
    })
    expect(JSON.stringify(said)).toContain('not found')
  })

  test('the pages are behind it, and show a question to nobody else', async () => {
    const app = await nestApp(guarded)
    const client = await closing(connect11, app, {}, 'alice')
    const [{ url, elicitationId } = { url: '', elicitationId: '' }] = await client
      .call('connect-service', stripe)
      .then(() => [], elicitationsIn)
    expect(new URL(url).pathname).toBe(`/elicit/${elicitationId}/api-key`)

    const paths = [new URL(url).pathname, `/elicit/${elicitationId}/status`, '/inbox', '/grants', '/audit']
    for (const path of paths) {
      expect({ path, status: (await fetch(`${app.origin}${path}`)).status }).toEqual({ path, status: 401 })
      expect((await fetch(`${app.origin}${path}`, { method: 'POST', body: 'action=accept' })).status).toBe(401)
    }
    const asBob = { headers: { cookie: 'user=bob' } }
    expect((await fetch(url, asBob)).status).toBe(404)
    expect((await fetch(`${app.origin}${paths[1]}`, asBob)).status).toBe(404)

    const asAlice = { headers: { cookie: 'user=alice' } }
    expect(await (await fetch(url, asAlice)).text()).toContain(label)
    expect(await (await fetch(`${app.origin}${paths[1]}`, asAlice)).json()).toMatchObject({
      elicitationId,
      status: 'pending',
      completed: false,
    })
  })

  test('a request that no guard verified runs tools, and can ask nobody', async () => {
    const app = await nestApp({ module: { guards: [TestGuard] } })
    const client = await closing(connect26, app)
    expect((await client.call('plain', { name: 'you' })).text).toBe('hello you, module')
    expect(await client.call('order')).toMatchObject({
      isError: true,
      text: expect.stringContaining('It is not known who sent this request'),
    })
    expect((await client.call('delete', { what: 'everything' })).isError).toBe(true)
    await expect(client.prompt('brief')).rejects.toThrow('It is not known who sent this request')
  })
})

test('two applications on one PostgreSQL: the page at one wakes the client at the other', async () => {
  const database = await freshDatabase()
  onTestFinished(() => database.drop())
  const module = {
    guards: [TestGuard],
    keys: testKeys,
    issuer: 'https://login.example.com',
    storeConfiguration: { type: 'custom', store: database.url } as const,
  }
  const [one, two] = [await nestApp({ guarded: true, module }), await nestApp({ guarded: true, module })]
  for (const how of [connect11, connect26]) {
    const client = await closing(how, one, {}, how === connect11 ? 'alice' : 'carol')
    const page = await pageOf(browser, two, how === connect11 ? 'alice' : 'carol')
    const result = await callVisiting(client, 'keep', {}, async (url) => {
      const elsewhere = new URL(new URL(url).pathname, two.origin).href
      // The client waits while the key is typed at the other application.
      await typeKey(page, elsewhere, 'Key', key)
    })
    expect(result).toMatchObject({ text: 'kept …1234', isError: false })
  }
})

async function closing(how: Connect, { url }: TestApp, options: Parameters<Connect>[1] = {}, token?: string) {
  const client = await how({ url, ...(token !== undefined && { token }) }, options)
  onTestFinished(() => client.close())
  return client
}
