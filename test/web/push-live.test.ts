import type { Browser, Worker } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { pushChannel } from '../../src/channels/push/index.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { aCall } from '../support/approval/a-call.ts'
import { getExisting } from '../support/assents.ts'
import { openBrowser } from '../support/web/chromium.ts'
import { openEnrolled, servePages } from '../support/web/live.ts'
import { aPushService } from '../support/web/push-service.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

test('a notification comes through a push service to a real worker, opens the question, and it is answered', async () => {
  const service = await aPushService()
  const channel = pushChannel({ contact: 'mailto:ops@example.com', allowPrivate: true })
  onTestFinished(() => channel.close?.())
  const place = await servePages({}, '127.0.0.1', {}, [channel])
  const page = await openEnrolled(browser, place, '/push')
  const context = page.context()
  await context.grantPermissions(['notifications'], { origin: place.origin })
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  // The push service of this browser cannot be reached from here; what its subscription would be is put in its place.
  await page.evaluate(`PushManager.prototype.subscribe = async (options) => {
    window.bound = options
    return ${service.subscribe('laptop')}
  }`)
  const working = context.waitForEvent('serviceworker')
  await page.getByRole('button', { name: 'Switch on' }).click()
  await page.getByText('This browser tells you from now on.').waitFor()
  const worker = await working
  expect(await place.assent.subscriptions.list(localParticipant)).toMatchObject([{ name: 'Chrome on Linux' }])

  const cdp = await context.newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [one] = registrations
      if (one) resolve(one.registrationId)
    })
  })
  await cdp.send('ServiceWorker.enable')
  const registrationId = await registered

  const requester = { participant: localParticipant, client: 'local', clientName: 'Claude Code' }
  const approval = await place.assent.approvals.approve({ call: aCall({ requester }), walkId: 'w1' })
  if (approval.kind !== 'question') throw new Error(approval.kind)
  const { id } = approval.elicitation
  await expect.poll(() => service.pushed.length).toBe(1)
  const data = service.pushed[0]?.text ?? ''
  for (const value of Object.values(aCall().arguments)) expect(data).not.toContain(String(value))
  await cdp.send('ServiceWorker.deliverPushMessage', { origin: place.origin, registrationId, data })
  await expect.poll(() => shown(worker)).toEqual([{ title: 'files needs your approval', tag: id }])

  await worker.evaluate(press)
  const href = await worker.evaluate('self.opened')
  expect(href).toBe(`${place.origin}/elicit/${id}/approve`)
  await page.goto(String(href))
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('heading', { name: 'Allowed once' }).waitFor()
  expect((await getExisting(place.assent, id)).state).toMatchObject({ kind: 'answered', by: { via: 'page' } })
  expect(problems).toEqual([])
})

const shown = (worker: Worker) =>
  worker.evaluate('registration.getNotifications().then((all) => all.map(({ title, tag }) => ({ title, tag })))')

/** Presses the notification. A script may open no window without a person, so what it would open is kept. */
const press = `(async () => {
  clients.openWindow = async (href) => { self.opened = href }
  const [notification] = await registration.getNotifications()
  const event = new NotificationEvent('notificationclick', { notification })
  dispatchEvent(event)
  while (!self.opened) await new Promise((resolve) => setTimeout(resolve, 10))
})()`
