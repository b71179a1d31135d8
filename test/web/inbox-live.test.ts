import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { localParticipant } from '../../src/participant/participant.ts'
import { aCall } from '../support/approval/a-call.ts'
import { getExisting } from '../support/assents.ts'
import { openBrowser } from '../support/web/chromium.ts'
import { type Live, openEnrolled, servePages } from '../support/web/live.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const served = (rule: object = {}) => servePages(rule)

const openPage = (place: Live, path: string, options: BrowserContextOptions = {}) =>
  openEnrolled(browser, place, path, options)

let walks = 0
async function ask({ assent }: Live, over: Parameters<typeof aCall>[0] = {}) {
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
  await page.getByRole('textbox', { name: 'path' }).fill('/tmp/jad')
  await ask(place, { tool: 'read_file' })
  await page.getByRole('link', { name: /Run read_file/ }).waitFor()
  expect(await page.getByRole('textbox', { name: 'path' }).inputValue()).toBe('/tmp/jad')
  await page.getByRole('textbox', { name: 'path' }).press('Enter')
  expect((await place.assent.get(asked.id))?.state.kind).toBe('open')
})

test('without scripts a call is edited and allowed', async () => {
  const place = await served({ editable: ['path'] })
  const asked = await ask(place)
  const page = await openPage(place, `/elicit/${asked.id}/approve`, { javaScriptEnabled: false })
  await page.getByRole('textbox', { name: 'path' }).fill('/tmp/other.txt')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('heading', { name: 'Allowed once' }).waitFor()
  expect(await page.locator('ins').textContent()).toBe('/tmp/other.txt')
  expect(await page.locator('del').textContent()).toBe('/tmp/notes.txt')
})
