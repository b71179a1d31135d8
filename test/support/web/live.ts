import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { Assent, AssentOptions } from '../../../src/index.ts'
import { createWeb, type Web, type WebOptions } from '../../../src/web/index.ts'
import { anAssent } from '../assents.ts'
import { keepConnections } from '../server/keep-connections.ts'

/** Pages that real browsers visit. */
export interface Live {
  readonly assent: Assent
  readonly web: Web
  readonly origin: string
}

/** Serves pages where one rule asks about every call. `host`: browsers make passkeys for host names only. */
export async function servePages(
  rule: object,
  host = '127.0.0.1',
  options: WebOptions = {},
  channels: AssentOptions['channels'] = [],
): Promise<Live> {
  let web: Web | undefined
  const server = createServer(keepConnections, (request, response) => web?.node(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`
  const policy = { rules: [{ decide: 'ask', ...rule }] } as unknown as NonNullable<AssentOptions['policy']>
  const assent = await anAssent({ publicUrl: origin, policy, channels })
  web = createWeb(assent, options)
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

/** A window of its own, of somebody who has never been here. */
export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 }, ...options })
  context.setDefaultTimeout(60_000)
  onTestFinished(() => context.close())
  return context.newPage()
}

/** A window of the local person's browser, enrolled, on this page. */
export async function openEnrolled(
  browser: Browser,
  { web, origin }: Live,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await openWindow(browser, options)
  await page.goto(await web.enrollLink(path))
  await page.getByRole('button', { name: 'Use this browser' }).click()
  await page.waitForURL(`${origin}${path}`)
  return page
}

/** An authenticator that is plugged in, and what can be done to it. */
interface Plugged {
  unplug(): Promise<unknown>
  verify(isUserVerified: boolean): Promise<unknown>
}

/** Plugs virtual authenticators into the browser of this page. */
export async function authenticatorsOf(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  return async (over: { isUserVerified?: boolean; transport?: 'internal' | 'usb' } = {}): Promise<Plugged> => {
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
        ...over,
      },
    })
    return {
      unplug: () => cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }),
      verify: (isUserVerified) => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    }
  }
}

/** Makes a passkey of this name on the page of passkeys. */
export async function makePasskey(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).last().fill(name)
  await page.getByRole('button', { name: /^(Make|Add) a passkey$/ }).click()
  // The words alone may still be those of the passkey before.
  await page.locator('.rows > li', { hasText: name }).waitFor()
  await page.getByText('The passkey was added.').waitFor()
}

const shots = process.env.ASSENT_SHOTS

/** A picture for people to look at, where a folder for them is named. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (!shots) return
  await mkdir(shots, { recursive: true })
  await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true })
}
