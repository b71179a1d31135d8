import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { localParticipant } from '../../src/participant/participant.ts'
import { aCall } from '../support/approval/a-call.ts'
import { anUpstream } from '../support/approval/approving.ts'
import { getExisting } from '../support/assents.ts'
import { passkeyEvents } from '../support/passkey/people.ts'
import { openBrowser } from '../support/web/chromium.ts'
import { authenticatorsOf, type Live, makePasskey, openEnrolled, servePages, shoot } from '../support/web/live.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

/** Pages where writing needs a signature; the arguments can be edited. */
const served = () => servePages({ answer: 'passkey', editable: ['content'] }, 'localhost')

const requester = { participant: localParticipant, client: 'local', clientName: 'Claude Code' }
const theCall = () => aCall({ requester })

async function ask({ assent }: Live, walkId = 'w1') {
  const approval = await assent.approvals.approve({ call: theCall(), walkId })
  if (approval.kind !== 'question') throw new Error(approval.kind)
  return approval.elicitation
}

/** A window of an enrolled browser, and what its devices do. */
async function openPage(place: Live, path: string, options: BrowserContextOptions = {}) {
  const page = await openEnrolled(browser, place, path, options)
  const problems: string[] = []
  // The inbox parses its own page anew to update its list, and Chromium reports the style in it.
  const isOfInbox = (text: string) => text.startsWith('Applying inline style')
  page.on('console', (message) => {
    if (message.type() === 'error' && !isOfInbox(message.text())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  return { page, plug: await authenticatorsOf(page), problems }
}

test('without a passkey the page says so; one is made, the call is edited and allowed with it, and runs as signed', async () => {
  const place = await served()
  const asked = await ask(place)
  const path = `/elicit/${asked.id}/approve`
  const { page, plug, problems } = await openPage(place, path)
  expect(await page.getByRole('button', { name: 'Allow with passkey' }).isDisabled()).toBe(true)
  await page.getByText('you have none yet').waitFor()
  await shoot(page, '1-no-passkey')

  await plug()
  await page.getByRole('link', { name: 'Make a passkey, then come back' }).click()
  await page.getByRole('heading', { name: 'Your passkeys' }).waitFor()
  await shoot(page, '2-passkeys-empty')
  await makePasskey(page, 'Work laptop')
  await shoot(page, '3-passkeys-one')
  await page.getByRole('link', { name: 'Go back to the question' }).click()
  await page.getByRole('textbox', { name: 'content' }).fill('hello, edited')
  await shoot(page, '4-can-sign')
  await page.getByRole('button', { name: 'Allow with passkey' }).click()
  await page.getByRole('heading', { name: 'Allowed once' }).waitFor()
  await shoot(page, '5-allowed')

  const [passkey] = await place.assent.passkeys.list(localParticipant)
  expect((await getExisting(place.assent, asked.id)).state).toMatchObject({
    kind: 'answered',
    by: { via: 'passkey', passkey: passkey?.id },
    answer: { content: { choice: 'allow_once', edit_content: 'hello, edited' } },
  })
  const upstream = anUpstream(place.assent)
  expect((await upstream.run(theCall(), 'w1')).kind).toBe('done')
  expect(upstream.sent[0]?.arguments).toMatchObject({ content: 'hello, edited' })
  expect(passkey).toMatchObject({ name: 'Work laptop', usedAt: expect.any(Date) })
  expect(problems).toEqual([])
})

test('refused without: nobody is verified, or the device is gone; then denied without a passkey', async () => {
  const place = await served()
  const { page, plug } = await openPage(place, '/passkeys')
  const device = await plug()
  await makePasskey(page, 'Phone')
  const asked = await ask(place)
  await page.goto(`${place.origin}/elicit/${asked.id}/approve`)
  await device.verify(false)
  await page.getByRole('button', { name: 'Allow with passkey' }).click()
  await page.getByText('No passkey was used.').waitFor()
  await shoot(page, '6-not-verified')
  expect((await getExisting(place.assent, asked.id)).state.kind).toBe('open')

  // A script that posts the form without a signature is told what is missing.
  await page.evaluate(`
    const form = document.querySelector('form[data-sign]')
    const field = document.createElement('input')
    field.name = 'answer'
    field.value = 'accept'
    form.append(field)
    form.submit()
  `)
  await page.getByText('Sign your answer with your passkey.').waitFor()
  expect((await getExisting(place.assent, asked.id)).state.kind).toBe('open')
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByRole('heading', { name: 'You said no' }).waitFor()
  expect((await getExisting(place.assent, asked.id)).state).toMatchObject({ by: { via: 'page' } })
})

test('a second passkey is let in by the first, and each is revoked with one that is left', async () => {
  const place = await served()
  const { page, plug } = await openPage(place, '/passkeys')
  const first = await plug()
  await makePasskey(page, 'Laptop')
  await plug({ transport: 'usb' })
  await makePasskey(page, 'Security key')
  const rows = page.locator('.rows > li')
  expect(await rows.count()).toBe(2)
  await shoot(page, '7-two')

  await page.getByText('Change its name').first().click()
  await rows.first().getByLabel('Name').fill('Old laptop')
  await rows.first().getByRole('button', { name: 'Save the name' }).click()
  await page.getByText('The passkey has another name.').waitFor()

  await first.unplug()
  await page.getByRole('button', { name: 'Revoke Old laptop' }).click()
  await page.getByText('The passkey was revoked.').waitFor()
  expect(await rows.count()).toBe(1)
  await page.getByRole('button', { name: 'Revoke Security key' }).click()
  await page.getByText('The passkey was revoked. It was your last one.').waitFor()
  await shoot(page, '8-last-revoked')
  expect((await passkeyEvents(place.assent)).map(({ kind }) => kind)).toEqual([
    'passkey-added',
    'passkey-added',
    'passkey-revoked',
    'passkey-revoked',
  ])
})

test('somebody with an enrolled browser and another device neither adds nor revokes a passkey', async () => {
  const place = await served()
  const mine = await openPage(place, '/passkeys')
  await mine.plug()
  await makePasskey(mine.page, 'Laptop')
  const theirs = await openPage(place, '/passkeys')
  await theirs.plug()
  await theirs.page.getByRole('button', { name: 'Revoke Laptop' }).click()
  await theirs.page.getByText('No passkey was used.').waitFor()
  await theirs.page.getByRole('button', { name: 'Add a passkey' }).click()
  await theirs.page.getByText('No passkey was used.').nth(1).waitFor()
  expect(await place.assent.passkeys.list(localParticipant)).toHaveLength(1)
})

test('the inbox offers no yes in the row, and signs beside the list', async () => {
  const place = await served()
  const { page, plug, problems } = await openPage(place, '/passkeys')
  await plug()
  await makePasskey(page, 'Laptop')
  const asked = await ask(place)
  await page.goto(`${place.origin}/inbox`)
  await page.getByText('To allow it, open it and use your passkey.').waitFor()
  expect(await page.getByRole('button', { name: /^Allow once/ }).count()).toBe(0)
  await shoot(page, '9-inbox-row')
  await page.getByRole('link', { name: /Open: Run write_file/ }).click()
  await page.getByRole('button', { name: 'Allow with passkey' }).click()
  await page.getByText('Run write_file: allowed by you.').waitFor()
  expect((await getExisting(place.assent, asked.id)).state).toMatchObject({ by: { via: 'passkey' } })
  expect(problems).toEqual([])
})

test.each(['light', 'dark'] as const)(
  'fits a narrow window, %s, and says what it needs without JavaScript',
  async (colorScheme) => {
    const place = await served()
    const asked = await ask(place)
    const narrow = { viewport: { width: 390, height: 844 }, colorScheme }
    const { page, plug } = await openPage(place, '/passkeys', narrow)
    await plug()
    await makePasskey(page, 'A phone with a rather long name, of which there are many')
    const noOverflow = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth')
    expect(await noOverflow()).toBe(true)
    await shoot(page, `10-narrow-passkeys-${colorScheme}`)
    await page.goto(`${place.origin}/elicit/${asked.id}/approve`)
    expect(await noOverflow()).toBe(true)
    await shoot(page, `11-narrow-approve-${colorScheme}`)

    const still = await openPage(place, `/elicit/${asked.id}/approve`, { ...narrow, javaScriptEnabled: false })
    const warning = still.page.locator('noscript .warning')
    await warning.waitFor()
    expect(await warning.textContent()).toContain('Allowing this needs a passkey, and that needs JavaScript')
    await shoot(still.page, `12-narrow-no-script-${colorScheme}`)
    await still.page.getByRole('button', { name: 'Allow with passkey' }).click()
    await still.page.getByText('Sign your answer with your passkey.').waitFor()
    expect((await getExisting(place.assent, asked.id)).state.kind).toBe('open')
  },
)
