import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Assent, AssentOptions } from '../../src/index.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { createWeb, type Web } from '../../src/web/index.ts'
import { aCall } from '../support/approval/a-call.ts'
import { anAssent, getExisting } from '../support/assents.ts'
import { keepConnections } from '../support/server/keep-connections.ts'
import { openBrowser } from '../support/web/chromium.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

interface Served {
  readonly assent: Assent
  readonly web: Web
  readonly origin: string
}

async function served(rule: object = {}): Promise<Served> {
  const policy = { rules: [{ decide: 'ask', ...rule }] } as unknown as NonNullable<AssentOptions['policy']>
  let web: Web | undefined
  const server = createServer(keepConnections, (request, response) => web?.node(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const assent = await anAssent({ publicUrl: origin, policy })
  web = createWeb(assent)
  const serving = web
  // A server that waits for its streams closes only because the pages end them.
  onTestFinished(async () => {
    serving.close()
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeIdleConnections()
    await closed
  })
  return { assent, web, origin }
}

async function openPage({ web, origin }: Served, path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 }, ...options })
  context.setDefaultTimeout(60_000)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(await web.enrollLink(path))
  await page.getByRole('button', { name: 'Use this browser' }).click()
  await page.waitForURL(`${origin}${path}`)
  return page
}

let walks = 0
async function ask({ assent }: Served, over: Parameters<typeof aCall>[0] = {}) {
  walks += 1
  const requester = { participant: localParticipant, client: 'local', clientName: 'Claude Code' }
  const approval = await assent.approvals.approve({ call: aCall({ requester, ...over }), walkId: `w${walks}` })
  if (approval.kind !== 'question') throw new Error(approval.kind)
  return approval.elicitation
}

test('a question shows up in two open inboxes, is answered by key in one, and is gone from both', async () => {
  const place = await served()
  const [one, other] = [await openPage(place, '/inbox'), await openPage(place, '/inbox')]
  const asked = await ask(place)
  for (const page of [one, other]) await page.getByRole('link', { name: /Run write_file/ }).waitFor()
  expect(await one.title()).toContain('Inbox (1)')

  await one.keyboard.press('j')
  await one.keyboard.press('Enter')
  await one.getByRole('heading', { name: 'Run write_file on files?' }).waitFor()
  await one.keyboard.press('a')
  await one.getByText('Run write_file: allowed by you.').waitFor()
  await other.getByText('Nothing is waiting for you.').waitFor()
  expect((await place.assent.get(asked.id))?.state).toMatchObject({ answer: { content: { choice: 'allow_once' } } })
})

test('a call is allowed by key in its row, without being opened', async () => {
  const place = await served()
  const asked = await ask(place)
  const page = await openPage(place, '/inbox')
  await page.keyboard.press('j')
  await page.keyboard.press('a')
  await page.getByText('Run write_file: allowed by you.').waitFor()
  expect((await getExisting(place.assent, asked.id)).state).toMatchObject({ by: { via: 'inbox' } })
}, 30_000)

test('a call is answered in its row without scripts', async () => {
  const place = await served()
  const [first, second] = [await ask(place), await ask(place, { tool: 'read_file' })]
  const page = await openPage(place, '/inbox', { javaScriptEnabled: false })
  await page.getByRole('button', { name: 'Allow once: Run write_file' }).click()
  await page.getByText('Run write_file: allowed by you.').waitFor()
  await page.getByRole('button', { name: 'Deny: Run read_file' }).click()
  await page.getByText('Run read_file: denied by you.').waitFor()
  expect((await getExisting(place.assent, first.id)).state).toMatchObject({ answer: { action: 'accept' } })
  expect((await getExisting(place.assent, second.id)).state).toMatchObject({ answer: { action: 'decline' } })
}, 30_000)

test('a click anywhere else in a row opens the question', async () => {
  const place = await served()
  await ask(place)
  const page = await openPage(place, '/inbox')
  await page.getByText('asked by a program that calls itself Claude Code').click({ force: true })
  await page.getByRole('heading', { name: 'Run write_file on files?' }).waitFor()
}, 30_000)

test('a click just after the rows moved answers nothing', async () => {
  const place = await served()
  const asked = await ask(place)
  const page = await openPage(place, '/inbox')
  await page.getByRole('button', { name: 'Allow once: Run write_file' }).waitFor()
  // In the page itself: the click comes as soon as the list has another row.
  await page.evaluate(`new MutationObserver((_, observer) => {
    if (document.querySelectorAll('#waiting > li').length < 2) return
    observer.disconnect()
    setTimeout(() => document.querySelector('#waiting button[value=accept]').click())
    setTimeout(() => { document.body.dataset.clicked = 'yes' }, 50)
  }).observe(document.getElementById('list'), { childList: true })`)
  const other = await ask(place, { tool: 'read_file' })
  await page.locator('body[data-clicked]').waitFor()
  for (const { id } of [asked, other]) expect((await getExisting(place.assent, id)).state.kind).toBe('open')
  expect(page.url()).toBe(`${place.origin}/inbox`)
  await expect.poll(() => page.evaluate('performance.now() - movedAt > 700')).toBe(true)
  await page.getByRole('button', { name: 'Allow once: Run read_file' }).click()
  await page.getByText('Run read_file: allowed by you.').waitFor()
}, 30_000)

test('a key goes to a button that destroys, and does not press it', async () => {
  const place = await served()
  const asked = await ask(place, { annotations: { destructiveHint: true } })
  const page = await openPage(place, `/inbox?open=${asked.id}`)
  await page.keyboard.press('a')
  expect(await page.evaluate('document.activeElement.value')).toBe('accept')
  expect((await place.assent.get(asked.id))?.state.kind).toBe('open')
  await page.keyboard.press('d')
  await page.getByText('Run write_file: denied by you.').waitFor()
})

test('what is being typed stays while the list changes, and Enter in a field answers nothing', async () => {
  const place = await served({ editable: ['path'] })
  const asked = await ask(place)
  const page = await openPage(place, `/inbox?open=${asked.id}`)
  await page.getByLabel('path').fill('/tmp/jad')
  await ask(place, { tool: 'read_file' })
  await page.getByRole('link', { name: /Run read_file/ }).waitFor()
  expect(await page.getByLabel('path').inputValue()).toBe('/tmp/jad')
  await page.getByLabel('path').press('Enter')
  expect((await place.assent.get(asked.id))?.state.kind).toBe('open')
})

test('without scripts a call is edited and allowed', async () => {
  const place = await served({ editable: ['path'] })
  const asked = await ask(place)
  const page = await openPage(place, `/elicit/${asked.id}/approve`, { javaScriptEnabled: false })
  await page.getByLabel('path').fill('/tmp/other.txt')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('heading', { name: 'Allowed once' }).waitFor()
  expect(await page.locator('ins').textContent()).toBe('/tmp/other.txt')
  expect(await page.locator('del').textContent()).toBe('/tmp/notes.txt')
})
