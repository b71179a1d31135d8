import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Connect, connect06, connect11, connect26 } from '../support/asking/asking-clients.ts'
import { buildPackage } from '../support/build.ts'
import { aBrowser } from '../support/cli/browser.ts'
import { assent, ended, startAssent } from '../support/cli/cli.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { openBrowser, openPage } from '../support/web/chromium.ts'

let browser: Browser
beforeAll(async () => {
  await buildPackage()
  browser = await openBrowser()
})
afterAll(() => browser.close())

async function aDemo(cwd?: string) {
  const folder = cwd ?? (await temporaryFolder())
  const { child, said } = await startAssent(['gateway', '--demo', '--port', '0'], /Ctrl-C/, { cwd: folder })
  const [, url = ''] = /(http:\/\/\S+\/mcp)$/m.exec(said()) ?? []
  const [, link = ''] = /(http:\/\/\S+\/enroll\?code=\S+)/.exec(said()) ?? []
  return { child, said, url, link, folder }
}

/** A newcomer's browser, let in by the printed link. */
async function enrolledPage(link: string) {
  const page = await openPage(browser)
  await page.goto(link)
  await page.getByRole('button', { name: 'Use this browser' }).click()
  return page
}

/** Connects the account of grace, at this address or on the page that is open. */
async function connectAccount(page: Awaited<ReturnType<typeof enrolledPage>>, address?: string) {
  if (address !== undefined) await page.goto(address)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByLabel('Your name there').fill('grace')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('main').waitFor()
}

/** `assent call` in a second process; the page it opens is opened by us. */
async function calling(url: string, ...words: string[]) {
  const { env, opened } = await aBrowser()
  const ran = assent(['call', url, ...words, '--yes-open'], env)
  return { ran, opened: () => expect.poll(opened).toContain('http').then(opened) }
}

describe('npm start', () => {
  test('runs the demo', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'))
    expect(scripts.start).toBe('node dist/cli/main.js gateway --demo')
  })

  test('prints the calls to try, which work as it says', async () => {
    const { url, link, said, child } = await aDemo()
    const calls = ['demo__time', 'demo__delete_note', 'agents__deploy', 'demo__plan_trip']
    for (const call of [...calls, 'notes__connect', 'notes__read_notes']) {
      expect(said()).toContain(`assent call ${url} ${call}`)
    }
    expect(said()).toContain('assent inbox --store sqlite:.assent/demo.db\n')
    const page = await enrolledPage(link)

    expect((await assent(['call', url, 'demo__time'])).out).toMatch(/^\d{4}-\d\d-\d\dT/)
    const trip = await assent(['call', url, 'demo__plan_trip', '--answer', 'where=Oslo', '--answer', 'days=3'])
    expect(trip).toMatchObject({ code: 0, out: expect.stringContaining('3 days in Oslo') })

    const deleting = await calling(url, 'demo__delete_note', '{"name":"shopping"}')
    await page.goto((await deleting.opened()).trim())
    await page.getByLabel('name').fill('ideas')
    await page.getByRole('button', { name: 'Allow' }).click()
    const deleted = await deleting.ran
    expect(deleted).toMatchObject({ code: 0, out: expect.stringContaining('The note "ideas" is deleted') })

    const deploying = assent(['call', url, 'agents__deploy', '{"target":"production"}'])
    await page.goto(new URL('/inbox', url).href)
    await page.getByRole('link', { name: 'Open: Run deploy' }).click()
    await page.getByRole('radio', { name: 'staging' }).check()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    expect((await deploying).out.split('\n')).toEqual(
      expect.arrayContaining(['Deployed to staging.', 'Approved by local, by way of: inbox.']),
    )

    const connecting = await calling(url, 'notes__connect')
    await connectAccount(page, (await connecting.opened()).trim())
    expect(await connecting.ran).toMatchObject({ code: 0, out: expect.stringContaining('Connected as grace') })
    expect((await assent(['call', url, 'notes__read_notes'])).out).toContain('Notes of grace')
    expect(await ended(child, 'SIGTERM')).toBe(0)
  })

  const withoutPages: [string, Connect, Record<string, unknown> | undefined][] = [
    ['2025-06-18', connect06, { form: {} }],
    ['2025-11-25', connect11, undefined],
    ['2026-07-28', connect26, undefined],
  ]

  test.each(withoutPages)(
    'connecting waits in the inbox for a client of %s that opens no pages, and the same call goes on',
    async (_, connect, elicitation) => {
      const folder = await temporaryFolder()
      await writeFile(join(folder, 'assent.yaml'), 'version: 1\nclocks: { hold: 1s }\n')
      const { url, link } = await aDemo(folder)
      const page = await enrolledPage(link)
      const client = await connect({ url: new URL(url) }, { elicitation })
      onTestFinished(() => client.close())
      const pending = await client.call('notes__connect')
      expect(pending.outcome).toMatchObject({ status: 'pending' })
      const [, address = ''] = /Tell the person this link: (\S+)/.exec(pending.text) ?? []
      expect(client.asked).toEqual([])

      await page.goto(new URL('/inbox', url).href)
      await expect.poll(() => page.getByRole('link', { name: /^Open: Connect / }).count()).toBeGreaterThan(0)
      await connectAccount(page, address)
      expect((await client.call('notes__connect')).text).toContain('Connected as grace')
      expect(JSON.stringify(await client.listTools())).toContain('notes__read_notes')
    },
  )

  test('connecting goes on within the call while it is held', async () => {
    const { url, link } = await aDemo()
    const page = await enrolledPage(link)
    const client = await connect11({ url: new URL(url) }, { elicitation: undefined })
    onTestFinished(() => client.close())
    const calling = client.call('notes__connect')
    const inbox = new URL('/inbox', url).href
    await expect
      .poll(async () => (await page.goto(inbox)) && page.getByRole('link', { name: /^Open: Connect / }).count())
      .toBeGreaterThan(0)
    await page.getByRole('link', { name: /^Open: Connect / }).click()
    await connectAccount(page)
    expect((await calling).text).toContain('Connected as grace')
  })

  test('started again, it knows the browser that was let in', async () => {
    const first = await aDemo()
    const page = await enrolledPage(first.link)
    expect(await ended(first.child, 'SIGTERM')).toBe(0)
    const second = await aDemo(first.folder)
    expect((await page.goto(new URL('/inbox', second.url).href))?.status()).toBe(200)
  })

  test('declined at the login, the call is told so', async () => {
    const { url, link } = await aDemo()
    const page = await enrolledPage(link)
    const connecting = await calling(url, 'notes__connect')
    await page.goto((await connecting.opened()).trim())
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('button', { name: 'Not now' }).click()
    await page.getByRole('main').waitFor()
    expect((await page.getByRole('main').textContent()) ?? '').not.toContain('Notes of')
    const client = await connect26({ url: new URL(url) })
    expect(JSON.stringify(await client.listTools())).toContain('notes__connect')
    await client.close()
  })

  test('with servers in the settings there is no demo', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'assent.yaml'), 'version: 1\nservers: { mine: { command: x } }\n')
    const { said } = await aDemo(folder)
    expect(said()).toContain('/mcp/mine')
    expect(said()).not.toContain('demo')
  })
})

describe('the demo login', () => {
  test('gives a code to nobody whom it does not know, and a token to nobody without the proof', async () => {
    const { createLoginDesk } = await import('../../src/cli/demo/login-desk.ts')
    const { fixedClock } = await import('../../src/testing/fixed-clock.ts')
    const { createHash } = await import('node:crypto')
    const redirectUri = 'http://127.0.0.1:1/cb'
    const desk = createLoginDesk(fixedClock(new Date(0)), 'http://127.0.0.1:2', { id: 'a', redirectUri, scopes: ['s'] })
    const verifier = 'v'.repeat(43)
    const asking = {
      client_id: 'a',
      redirect_uri: redirectUri,
      response_type: 'code',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      scope: 's',
      state: 'x',
    }
    const begin = (changed: Record<string, string> = {}) => desk.begin(new URLSearchParams({ ...asking, ...changed }))
    expect(begin({ client_id: 'b' }).kind).toBe('refused')
    expect(begin({ redirect_uri: `${redirectUri}/else` }).kind).toBe('refused')
    expect(begin({ code_challenge_method: 'plain' }).kind).toBe('returned')
    expect(begin({ scope: 's t' }).kind).toBe('returned')

    const codeOf = () => {
      const begun = begin()
      const to = begun.kind === 'asked' ? desk.settle(begun.id, 'ada') : undefined
      expect(to?.searchParams.get('state')).toBe('x')
      return to?.searchParams.get('code') ?? ''
    }
    const given = { client_id: 'a', grant_type: 'authorization_code', redirect_uri: redirectUri }
    const token = (form: Record<string, string>) => desk.token(new URLSearchParams({ ...given, ...form }))
    expect(token({ code: codeOf(), code_verifier: 'w'.repeat(43) }).status).toBe(400)
    expect(token({ code: codeOf() }).status).toBe(400)
    const code = codeOf()
    const { body } = token({ code, code_verifier: verifier })
    expect(desk.accountOf(String(body.access_token))?.name).toBe('ada')
    expect(token({ code, code_verifier: verifier }).status).toBe(400)

    const renew = { grant_type: 'refresh_token', refresh_token: String(body.refresh_token) }
    const renewed = token(renew)
    expect(renewed.status).toBe(200)
    expect(token(renew).status).toBe(400)
    desk.revoke(String(renewed.body.refresh_token))
    expect(desk.accountOf(String(renewed.body.access_token))).toBeUndefined()
  })
})
