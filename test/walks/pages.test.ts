import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AskedClient, connect11, connect26, connectOld } from '../support/asking/asking-clients.ts'
import {
  auditOf,
  callWhile,
  enrolled,
  type Installation,
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

const clients = [
  ['2025-11-25', connect11],
  ['2025-11-25 by SDK 1.32', connectOld],
  ['2026-07-28', connect26],
] as const
/** Where all clients of 2025 go the same way, one of them will do. */
const twoClients = [clients[0], clients[2]] as const
const key = 'sk_live_planted_walk_1234'
/** A client that can open pages and show no forms: its person is asked for everything on our pages. */
const pagesOnly = { elicitation: { url: {} } }

interface AtPage extends Installation {
  readonly client: AskedClient
  readonly page: Page
}

async function atPage(how = connect26, options: Parameters<typeof newcomer>[1] = {}): Promise<AtPage> {
  const place = await install()
  return { ...place, client: await place.connect(how, pagesOnly), page: await enrolled(browser, place, options) }
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const words = (page: Page) => page.getByRole('main').textContent()

describe('a key', () => {
  test.each(clients)('is typed on the page, the call goes on, and no later one asks (%s)', async (_, how) => {
    const { client, page } = await atPage(how)
    const result = await callWhile(client, 'send_mail', async (url) => {
      await page.goto(url)
      expect(await words(page)).toContain('Enter the key of your mail service')
      await page.getByRole('textbox', { name: 'Mail key' }).fill(key)
      await press(page, 'Save key')
      await title(page, 'Key saved')
      expect(await page.content()).not.toContain(key)
    })
    expect(result).toMatchObject({ text: 'sent with …1234', isError: false })
    expect((await client.call('send_mail')).text).toBe('sent with …1234')
    expect(client.asked).toHaveLength(1)
  })

  test.each(twoClients)('of an account is typed where accounts are connected (%s)', async (_, how) => {
    const { client, page } = await atPage(how)
    const result = await callWhile(client, 'pay', async (url) => {
      await page.goto(url)
      await page.getByRole('textbox', { name: 'Stripe API key' }).fill(key)
      await press(page, 'Save key')
      await title(page, 'Account connected')
    })
    expect(result.text).toBe('paid with …1234')
    expect((await client.call('pay')).text).toBe('paid with …1234')
    expect(client.asked).toHaveLength(1)
  })
})

describe('a form', () => {
  test.each(twoClients)(
    'keeps what was typed beside what is wrong, and is then sent (%s) (E11-06, E06-03)',
    async (_, how) => {
      const { client, page } = await atPage(how)
      const result = await callWhile(client, 'share', async (url) => {
        await page.goto(url)
        await page.getByLabel('Mail address').fill('not-a-mail')
        await page.getByLabel('days').fill('99')
        await press(page, 'Send')
        await page.locator('[aria-invalid=true]').first().waitFor()
        expect(await page.getByLabel('Mail address').inputValue()).toBe('not-a-mail')
        expect(await page.getByLabel('days').inputValue()).toBe('99')
        expect(await page.locator('[aria-invalid=true]').count()).toBe(2)

        await page.getByLabel('Mail address').fill('bob@example.com')
        await page.getByLabel('days').fill('3')
        await press(page, 'Send')
        await title(page, 'Your answer was sent')
      })
      expect(result).toMatchObject({ text: 'shared with bob@example.com for 3 days', isError: false })
    },
  )
})

describe('a yes', () => {
  test.each(clients)('on the page lets the call go on, and counts once (%s)', async (_, how) => {
    const { client, page } = await atPage(how)
    const yes = async (url: string) => {
      await page.goto(url)
      for (const part of ['Delete everything?', 'Delete all 12 notes?', 'This cannot be undone.']) {
        expect(await words(page)).toContain(part)
      }
      await press(page, 'Delete them')
      await title(page, 'You said yes')
    }
    expect((await callWhile(client, 'delete_notes', yes)).text).toBe('deleted')
    expect((await callWhile(client, 'delete_notes', yes)).text).toBe('deleted')
    expect(client.asked).toHaveLength(2)
  })

  test.each([
    { name: '2025-11-25', how: connect11, button: 'Keep them', ending: 'You said no', status: 'declined' },
    { name: '2026-07-28', how: connect26, button: 'Keep them', ending: 'You said no', status: 'declined' },
    {
      name: '2025-11-25',
      how: connect11,
      button: 'Cancel',
      ending: 'This question was cancelled',
      status: 'cancelled',
    },
    {
      name: '2026-07-28',
      how: connect26,
      button: 'Cancel',
      ending: 'This question was cancelled',
      status: 'cancelled',
    },
  ])('is none by the button $button, $name', async ({ how, button, ending, status }) => {
    const { client, page } = await atPage(how)
    const result = await callWhile(client, 'delete_notes', async (url) => {
      await page.goto(url)
      await press(page, button)
      await title(page, ending)
    })
    expect(result).toMatchObject({ isError: true, outcome: { status } })
  })
})

describe('a page', () => {
  test('that is open in a second tab says there how it ended, and changes nothing any more', async () => {
    const { client, page, assent } = await atPage()
    const second = await page.context().newPage()
    const result = await callWhile(client, 'delete_notes', async (url) => {
      await second.goto(url)
      await page.goto(url)
      await press(page, 'Keep them')
      await title(page, 'You said no')
      await press(second, 'Delete them')
      await title(second, 'You said no')
      expect(await words(second)).toContain('It was settled before, so nothing changed now.')
      await second.reload()
      await title(second, 'You said no')
      const id = url.split('/').at(-2) as never
      expect((await assent.get(id))?.state).toMatchObject({ kind: 'answered', answer: { action: 'decline' } })
    })
    expect(result.outcome).toMatchObject({ status: 'declined' })
  })

  test('is answered by the keyboard alone, and declined and left as well (E11-05, E06-06)', async () => {
    const { client, page } = await atPage()
    const result = await callWhile(client, 'send_mail', async (url) => {
      await page.goto(url)
      await reach(page, 'INPUT')
      await page.keyboard.type(key)
      await page.keyboard.press('Enter')
      await title(page, 'Key saved')
    })
    expect(result.text).toBe('sent with …1234')

    const asked = await callWhile(client, 'delete_notes', async (url) => {
      await page.goto(url)
      await reach(page, 'BUTTON', 'Delete them')
      await page.keyboard.press('Space')
      await title(page, 'You said yes')
    })
    expect(asked.text).toBe('deleted')

    for (const [button, status, ending] of [
      ['Keep them', 'declined', 'You said no'],
      ['Cancel', 'cancelled', 'This question was cancelled'],
    ] as const) {
      const left = await callWhile(client, 'delete_notes', async (url) => {
        await page.goto(url)
        await reach(page, 'BUTTON', button)
        await page.keyboard.press('Enter')
        await title(page, ending)
      })
      expect(left.outcome).toMatchObject({ status })
    }
  })

  test('works without JavaScript: enrolment, key, form, yes, account', async () => {
    const { client, page } = await atPage(connect26, { javaScriptEnabled: false })
    const send = await callWhile(client, 'send_mail', async (url) => {
      await page.goto(url)
      await page.getByRole('textbox', { name: 'Mail key' }).fill(key)
      await press(page, 'Save key')
      await title(page, 'Key saved')
    })
    const share = await callWhile(client, 'share', async (url) => {
      await page.goto(url)
      await page.getByLabel('Mail address').fill('bob@example.com')
      await press(page, 'Send')
      await title(page, 'Your answer was sent')
    })
    const erase = await callWhile(client, 'delete_notes', async (url) => {
      await page.goto(url)
      await press(page, 'Delete them')
      await title(page, 'You said yes')
    })
    const list = await callWhile(client, 'list_notes', async (url) => {
      await page.goto(url)
      await press(page, 'Connect')
      await signIn(page, 'ada')
      await press(page, 'Allow')
      await title(page, 'Account connected')
    })
    expect([send, share, erase, list].map(({ text }) => text)).toEqual([
      'sent with …1234',
      'shared with bob@example.com for 7 days',
      'deleted',
      'A note of ada',
    ])
  })

  test.each(twoClients)('whose time is over says so, also to a late yes, and the call ends (%s)', async (_, how) => {
    const time = movableTime()
    const { client, page } = await atPage(how)
    const result = await callWhile(client, 'delete_notes', async (url) => {
      await page.goto(url)
      time.advance(10 * 60_000 + 60_000)
      await press(page, 'Delete them')
      await title(page, 'Time is up')
      await page.goto(url)
      await title(page, 'Time is up')
    })
    expect(result).toMatchObject({ isError: true, outcome: { status: 'expired' } })
  })
})

describe('a browser on this machine', () => {
  test('is let in by a one-time link that leads on to the question, and the link lets in nobody else', async () => {
    const place = await install()
    const client = await place.connect(connect26, pagesOnly)
    const [page, other] = [await newcomer(browser), await newcomer(browser)]
    const result = await callWhile(client, 'delete_notes', async (url) => {
      await page.goto(url)
      await title(page, 'This browser is not known yet')
      const link = await place.web.enrollLink(url.slice(place.origin.length))
      await page.goto(link)
      await press(page, 'Use this browser')
      await title(page, 'Delete everything?')

      await other.goto(link)
      await press(other, 'Use this browser')
      await title(other, 'This link no longer works')
      await other.goto(url)
      await title(other, 'This browser is not known yet')
      await press(page, 'Delete them')
      await title(page, 'You said yes')
    })
    expect(result.text).toBe('deleted')
    expect(await auditOf(place, 'browser-added')).toMatchObject([{ data: { by: 'link' } }])
    expect((await auditOf(place, 'page-refused')).map(({ data }) => data.reason)).toEqual([
      'not-enrolled',
      'link-used',
      // Refused again within the minute: counted, and told at its end.
    ])
  })
})

describe('with a login', () => {
  test.each(twoClients)('the person signs in, answers, and signs out again (%s)', async (_, how) => {
    const place = await install({ withLogin: true })
    const token = await place.oauth.tokenFor('alice', { audience: `${place.origin}/mcp` })
    const client = await place.connect(how, { ...pagesOnly, token })
    const page = await newcomer(browser)
    const result = await callWhile(client, 'send_mail', async (url) => {
      await page.goto(url)
      await signIn(page, 'alice')
      await press(page, 'Allow')
      await page.getByRole('textbox', { name: 'Mail key' }).fill(key)
      await press(page, 'Save key')
      await title(page, 'Key saved')
      await press(page, 'Sign out')
      await title(page, 'You are signed out')
    })
    expect(result.text).toBe('sent with …1234')
    expect(await auditOf(place, 'browser-added')).toMatchObject([{ data: { by: 'login' } }])
  })

  test('that the person breaks off lets nobody in, and says so', async () => {
    const place = await install({ withLogin: true })
    const page = await newcomer(browser)
    await page.goto(`${place.origin}/connections`)
    await signIn(page, 'alice')
    await press(page, 'Deny')
    await title(page, 'Signing in did not work')
    expect(await words(page)).toContain('You did not sign in.')
    expect(await auditOf(place, 'page-refused')).toMatchObject([{ data: { reason: 'login-failed' } }])
    expect(await auditOf(place, 'browser-added')).toEqual([])
  })
})

/** Goes on by Tab until the focus is on such an element. */
async function reach(page: Page, tag: string, text = ''): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    const at = page.locator(':focus')
    if ((await at.count()) > 0) {
      const { tagName, textContent } = await at.evaluate((element) => {
        const { tagName, textContent } = element as unknown as { tagName: string; textContent: string }
        return { tagName, textContent }
      })
      if (tagName === tag && textContent.includes(text)) return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`No ${tag} "${text}" is reached by the keyboard.`)
}
