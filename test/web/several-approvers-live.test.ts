import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anUpstream, asks } from '../support/approval/approving.ts'
import { person, transfer } from '../support/approval/voting.ts'
import { getExisting } from '../support/assents.ts'
import { openBrowser } from '../support/web/chromium.ts'
import { authenticatorsOf, type Live, makePasskey, openWindow, servePages, shoot } from '../support/web/live.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const issuer = 'https://login.example.com'
const phone = { viewport: { width: 390, height: 844 } }

/** Behind a proxy that signs people in, so that each window is of whom it says. */
const served = (rule: object) =>
  servePages({ approvers: ['group:finance'], fallback: 'inbox', ...rule }, 'localhost', {
    proxy: { header: 'x-user', groupsHeader: 'x-groups', issuer, from: ['127.0.0.1'] },
  })

async function openAs(place: Live, who: string, path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const [name = '', ...groups] = who.split('~')
  const extraHTTPHeaders = { 'x-user': name, 'x-groups': groups.join(',') }
  const page = await openWindow(browser, { extraHTTPHeaders, ...options })
  await page.goto(`${place.origin}${path}`)
  return page
}

const fits = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= innerWidth')

test('two people approve one transfer, live in both windows, and it runs once', async () => {
  const place = await served({ quorum: 2, priority: 'high' })
  const upstream = anUpstream(place.assent)
  const asked = await asks(place.assent, transfer(100))
  const dave = await openAs(place, 'dave~finance', '/inbox', { colorScheme: 'dark' })
  const erin = await openAs(place, 'erin~finance', `/inbox?open=${asked.id}`, phone)
  await erin.getByText('2 people must say yes. 0 so far, 2 missing.').waitFor()
  await dave.getByText('0 of 2 people said yes.').waitFor()
  await dave.getByRole('link', { name: 'Open: Run transfer' }).click()
  await dave.getByLabel('Reason').fill('The invoice is in order.')
  await dave.getByRole('button', { name: 'Allow', exact: true }).click()
  await dave.locator('strong', { hasText: 'You said yes. Now others must.' }).waitFor()
  // Erin's window was not touched.
  await erin.getByText('dave said yes: “The invoice is in order.”').waitFor()
  await erin.getByText('1 so far, 1 missing.').waitFor()
  expect(await fits(erin)).toBe(true)
  await shoot(dave, 'votes-1-dave-said-yes')
  await shoot(erin, 'votes-1-erin-sees-it')
  await upstream.run(transfer(100), 'walk-1', asked.id)
  expect(upstream.sent).toEqual([])

  await erin.getByRole('button', { name: 'Allow', exact: true }).click()
  await erin.getByText('Run transfer: allowed by you.').waitFor()
  await dave.getByRole('heading', { name: 'Allowed' }).waitFor()
  await shoot(dave, 'votes-2-dave-settled')
  await upstream.run(transfer(100), 'walk-1', asked.id)
  await upstream.run(transfer(100), 'walk-1', asked.id)
  expect(upstream.sent).toHaveLength(1)
  expect((await getExisting(place.assent, asked.id)).voting?.votes.map(({ by, via }) => [by, via])).toEqual([
    [person('dave'), 'inbox'],
    [person('erin'), 'inbox'],
  ])
}, 120_000)

test('an edit begins the count anew, which the one who voted before sees, and votes for what it is now', async () => {
  const place = await served({ quorum: 2, editable: ['amount'] })
  const upstream = anUpstream(place.assent)
  const asked = await asks(place.assent, transfer(100))
  const dave = await openAs(place, 'dave~finance', `/inbox?open=${asked.id}`)
  await dave.getByRole('button', { name: 'Allow', exact: true }).click()
  await dave.locator('strong', { hasText: 'You said yes. Now others must.' }).waitFor()
  const erin = await openAs(place, 'erin~finance', `/elicit/${asked.id}/approve`)
  await erin.getByLabel('amount').fill('90')
  await erin.getByRole('button', { name: 'Allow', exact: true }).click()
  await erin.locator('strong', { hasText: 'You said yes. Now others must.' }).waitFor()
  await dave.getByText('erin changed the arguments, and the count started again.').waitFor()
  await dave.getByText('You said yes before that change, which does not count any more.').waitFor()
  await shoot(dave, 'votes-3-edited')
  await dave.goto(`${place.origin}/elicit/${asked.id}/approve`)
  expect(await dave.getByLabel('amount').inputValue()).toBe('90')
  await dave.getByRole('button', { name: 'Allow', exact: true }).click()
  await dave.getByRole('heading', { name: 'Allowed once' }).waitFor()
  await upstream.run(transfer(100), 'walk-1', asked.id)
  expect(upstream.sent.map((call) => call.arguments.amount)).toEqual([90])
}, 120_000)

test('one hands it on, the next does too, and the last sees the chain and decides', async () => {
  const place = await served({ delegate: true })
  const asked = await asks(place.assent, transfer(100))
  const erin = await openAs(place, 'erin~leads', '/inbox', phone)
  await erin.getByText('Nothing is waiting for you.').waitFor()
  const dave = await openAs(place, 'dave~finance', `/inbox?open=${asked.id}`)
  const handOn = async (page: Page, to: string) => {
    await page.getByText('Hand it on to somebody else').click()
    await page.getByLabel('To whom').fill(to)
    await page.getByRole('button', { name: 'Hand it on' }).click()
  }
  await handOn(dave, person('carol'))
  await dave.getByText('nor to an agent that acts for them').first().waitFor()
  await shoot(dave, 'chain-1-refused')
  await dave.getByLabel('To whom').fill(person('frank'))
  await dave.getByRole('button', { name: 'Hand it on' }).click()
  await dave.locator('strong', { hasText: 'You handed this on.' }).waitFor()
  const frank = await openAs(place, 'frank', `/elicit/${asked.id}/approve`)
  await frank.getByText('dave handed it on to you.').waitFor()
  await handOn(frank, 'group:leads')
  await frank.getByText('You handed this on.').waitFor()

  await erin.getByRole('link', { name: 'Open: Run transfer' }).click()
  await erin.getByText('dave handed it on to frank.').waitFor()
  await erin.getByText('frank handed it on to anyone in leads.').waitFor()
  expect(await fits(erin)).toBe(true)
  await shoot(erin, 'chain-2-erin')
  await erin.getByRole('button', { name: 'Allow', exact: true }).click()
  await erin.getByText('Run transfer: allowed by you.').waitFor()
  await dave.getByRole('heading', { name: 'Allowed' }).waitFor()
  expect((await getExisting(place.assent, asked.id)).state).toMatchObject({ by: { participant: person('erin') } })
}, 120_000)

test('two people sign one transfer, each with a passkey of their own', async () => {
  const place = await served({ quorum: 2, answer: 'passkey' })
  const upstream = anUpstream(place.assent)
  const asked = await asks(place.assent, transfer(100))
  const path = `/elicit/${asked.id}/approve`
  const sign = async (who: string) => {
    const page = await openAs(place, `${who}~finance`, '/passkeys')
    await (await authenticatorsOf(page))()
    await makePasskey(page, `Laptop of ${who}`)
    await page.goto(`${place.origin}${path}`)
    await page.getByRole('button', { name: 'Allow with passkey' }).click()
    return page
  }
  const dave = await sign('dave')
  await dave.locator('strong', { hasText: 'You said yes. Now others must.' }).waitFor()
  await upstream.run(transfer(100), 'walk-1', asked.id)
  expect(upstream.sent).toEqual([])
  const erin = await sign('erin')
  await erin.getByRole('heading', { name: 'Allowed once' }).waitFor()
  await upstream.run(transfer(100), 'walk-1', asked.id)
  expect(upstream.sent).toHaveLength(1)
  const { voting, state } = await getExisting(place.assent, asked.id)
  expect(voting?.votes.map(({ by, via }) => [by, via])).toEqual([
    [person('dave'), 'passkey'],
    [person('erin'), 'passkey'],
  ])
  const [hers] = await place.assent.passkeys.list(person('erin'))
  expect(state).toMatchObject({ by: { passkey: hers?.id } })
}, 120_000)

test('several are selected, read and answered together, on a phone and without scripts', async () => {
  const place = await served({ priority: 'urgent' })
  const all = [await asks(place.assent, transfer(100), 'w1'), await asks(place.assent, transfer(200), 'w2')]
  const left = await asks(place.assent, transfer(300), 'w3')
  const page = await openAs(place, 'dave~finance', '/inbox', { ...phone, javaScriptEnabled: false })
  await page.getByRole('link', { name: 'Select several' }).click()
  for (const { id } of all) await page.locator(`input[value="${id}"]`).check()
  expect(await fits(page)).toBe(true)
  await shoot(page, 'several-1-selecting')
  await page.getByRole('button', { name: 'Show the selected' }).click()
  await page.getByRole('heading', { name: 'Answer 2 questions together' }).waitFor()
  expect(await fits(page)).toBe(true)
  await shoot(page, 'several-2-shown')
  await page.getByRole('button', { name: 'Allow the ticked, once each' }).click()
  await page.getByText('Run transfer: allowed by you.').first().waitFor()
  await shoot(page, 'several-3-done')
  for (const { id } of all) {
    expect((await getExisting(place.assent, id)).state).toMatchObject({ kind: 'answered', by: { via: 'inbox' } })
  }
  expect((await getExisting(place.assent, left.id)).state.kind).toBe('open')
}, 120_000)

test('what is ticked stays ticked while the list changes, and a key ticks', async () => {
  const place = await served({})
  const [first] = [await asks(place.assent, transfer(100), 'w1'), await asks(place.assent, transfer(200), 'w2')]
  const page = await openAs(place, 'dave~finance', '/inbox?select=1')
  await page.locator(`input[value="${first.id}"]`).check()
  const third = await asks(place.assent, transfer(300), 'w3')
  await page.locator(`input[value="${third.id}"]`).waitFor()
  expect(await page.locator(`input[value="${first.id}"]`).isChecked()).toBe(true)
  expect(await page.locator(`input[value="${third.id}"]`).isChecked()).toBe(false)
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  expect(await page.locator(`input[value="${third.id}"]`).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Show the selected' }).click()
  await page.getByRole('heading', { name: 'Answer 2 questions together' }).waitFor()
}, 120_000)
