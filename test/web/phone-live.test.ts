import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { PageLogin } from '../../src/participant/identify.ts'
import { createWeb, type Web } from '../../src/web/index.ts'
import { alice } from '../support/approval/a-call.ts'
import { anAssent } from '../support/assents.ts'
import { keepConnections } from '../support/server/keep-connections.ts'
import { openBrowser } from '../support/web/chromium.ts'
import { openWindow } from '../support/web/live.ts'
import { loginByCode } from '../support/web/places.ts'

const { complete } = loginByCode.onPages as PageLogin
const jsQR = createRequire(import.meta.url)('jsqr') as typeof import('jsqr').default

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

async function serveWithLogin() {
  let web: Web | undefined
  const server = createServer(keepConnections, (request, response) => web?.node(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const assent = await anAssent({ publicUrl: origin })
  /** The login knows who it is, and sends them back without a word. */
  const begin: PageLogin['begin'] = async ({ state }) => {
    return { kind: 'begun', url: `${origin}/login/callback?code=alice&state=${state}` }
  }
  web = createWeb({ ...assent, login: { ...loginByCode, onPages: { complete, begin } } })
  onTestFinished(() => {
    web?.close()
    server.close().closeAllConnections()
  })
  return { assent, origin }
}

/** What a camera reads on this screen. */
async function scanned(page: Page): Promise<string> {
  const picture = await page.getByRole('img', { name: 'A QR code' }).screenshot()
  const blank = await openWindow(browser)
  const { data, width, height } = (await blank.evaluate(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${picture.toString('base64')}'
    await image.decode()
    const { width, height } = image
    const drawing = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d')
    drawing.drawImage(image, 0, 0)
    return { data: [...drawing.getImageData(0, 0, width, height).data], width, height }
  })()`)) as { data: number[]; width: number; height: number }
  return jsQR(new Uint8ClampedArray(data), width, height)?.data ?? ''
}

test.each(['light', 'dark'] as const)(
  'a phone scans the code on a %s page, is signed in, and nobody else is',
  async (colorScheme) => {
    const { assent, origin } = await serveWithLogin()
    const desktop = await openWindow(browser, { colorScheme })
    await desktop.goto(`${origin}/login?next=/browsers`)
    await desktop.getByRole('button', { name: 'Let a phone in' }).click()
    await desktop.getByRole('img', { name: 'A QR code' }).waitFor()
    const link = await scanned(desktop)
    expect(new URL(link).origin).toBe(origin)

    const phone = await openWindow(browser, { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme })
    await phone.goto(link)
    await phone.getByRole('heading', { name: 'Sign in as alice?' }).waitFor()
    await phone.getByRole('button', { name: 'Sign in' }).tap()
    await phone.waitForURL(`${origin}/push`)
    expect(await assent.store.browsers.list(alice)).toHaveLength(2)

    const other = await openWindow(browser)
    await other.goto(link)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  },
)
