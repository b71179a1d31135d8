import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { credentialIdentity } from '../../src/connection/connection.ts'
import type { ElicitationNews } from '../../src/index.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { oauthClient } from '../support/oauth/oauth-server.ts'
import {
  callWhile,
  connectAccount,
  enrolled,
  type Installation,
  install,
  movableTime,
  title,
} from '../support/walks/installation.ts'
import { expectNone, filesIn, listenToProcess, wordsOf } from '../support/walks/planted.ts'
import { openBrowser } from '../support/web/chromium.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const stripeKey = 'sk_live_planted_4eC39HqLyjWDarjtT1zdp7dc'
const mailKey = 'mail_planted_9vQ2kXw7RtLzPbYc3NfD'

/** The tokens that are kept for the local person, as only the vault can tell them. */
async function tokensOf({ assent }: Installation): Promise<{ accessToken: string; refreshToken: string }> {
  const kept = await assent.store.connections.get('local' as never, 'notes')
  if (kept === undefined) throw new Error('nothing is connected')
  return JSON.parse(await assent.vault.open(kept.sealed, credentialIdentity(kept)))
}

test.each([
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
])(
  'keys and tokens are in nothing sent to the client, printed, told, audited or kept in clear (%s)',
  async (_, how) => {
    const printed = listenToProcess()
    const time = movableTime()
    const place = await install({ oauth: { accessTokenTtl: 60 } })
    const news: ElicitationNews[] = []
    place.assent.events.listen((one) => news.push(one))
    const client = await place.connect(how)
    const page = await enrolled(browser, place)
    const shown: string[] = []
    page.on('response', async (response) => {
      if (response.url().startsWith(place.origin)) shown.push(await response.text().catch(() => ''))
    })

    const typeKey = async (name: string, key: string) => {
      await page.getByRole('textbox', { name }).fill(key)
      await page.getByRole('button', { name: 'Save key' }).click()
    }
    const mail = await callWhile(client, 'send_mail', async (url) => {
      await page.goto(url)
      await typeKey('Mail key', mailKey)
      await title(page, 'Key saved')
    })
    const pay = await callWhile(client, 'pay', async (url) => {
      await page.goto(url)
      // One that is refused must not come back either.
      await typeKey('Stripe API key', `${stripeKey}\u0007`)
      await page.locator('[aria-invalid=true]').waitFor()
      await typeKey('Stripe API key', stripeKey)
      await title(page, 'Account connected')
    })
    expect([mail.isError, pay.isError]).toEqual([false, false])
    await callWhile(client, 'list_notes', (url) => connectAccount(page, url))
    const first = await tokensOf(place)
    time.advance(61_000)
    expect((await client.call('list_notes')).text).toBe('A note of ada')
    const renewed = await tokensOf(place)
    expect(renewed.accessToken).not.toBe(first.accessToken)
    place.oauth.fail('/token', 500, JSON.stringify({ error: 'server_error', error_description: renewed.refreshToken }))
    time.advance(61_000)
    expect((await client.call('list_notes')).isError).toBe(true)

    const callback = place.visited.find(({ pathname }) => pathname === '/oauth/callback')
    const [cookie] = (await page.context().cookies()).filter(({ name }) => name === 'assent')
    const secrets = {
      'the key of the mail service': mailKey,
      'the key of the account': stripeKey,
      'the first access token': first.accessToken,
      'the first refresh token': first.refreshToken,
      'the renewed access token': renewed.accessToken,
      'the renewed refresh token': renewed.refreshToken,
      'the client secret': oauthClient.clientSecret,
      'the code': callback?.searchParams.get('code') as string,
      'the browser’s cookie': cookie?.value as string,
    }
    expect(new Set(place.held)).toEqual(new Set([mailKey, stripeKey, first.accessToken, renewed.accessToken]))

    expectNone(secrets, 'what the client got', client.received())
    expectNone(secrets, 'what was printed', printed())
    expectNone(secrets, 'the news', JSON.stringify(news))
    expectNone(secrets, 'the log of errors', place.errors.map(wordsOf).join('\n'))
    expectNone(secrets, 'a page of ours', shown.join('\n'))
    const audit: string[] = []
    for await (const line of place.assent.exportAudit()) audit.push(line)
    expect(audit.join('')).toContain('connected')
    expectNone(secrets, 'the audit', audit.join(''))
    for (const when of ['while it is open', 'when it is closed']) {
      const files = await filesIn(place.folder)
      expect([...files.keys()]).toContain('assent.db')
      if (when === 'while it is open') expect([...files.keys()]).toContain('assent.db-wal')
      for (const [name, bytes] of files) expectNone(secrets, `${name} ${when}`, bytes)
      await place.assent.close()
    }
  },
)
