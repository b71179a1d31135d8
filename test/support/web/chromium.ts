import { type Browser, chromium, type Page } from 'playwright-core'

/** Playwright's own flags and a folder of its own; these keep it from calling home. */
const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A real browser, without a window. Close it after the tests. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env.ASSENT_TEST_CHROMIUM
  if (!executablePath) {
    throw new Error(
      'This test needs a Chromium. Run it with `npm test -- <file>`, which brings one, or set ASSENT_TEST_CHROMIUM to the path of its program.',
    )
  }
  return chromium.launch({ executablePath, args: quiet })
}

/** A page of someone who has never been here: shares no cookie with another page. What it waits for must come soon. */
export async function openPage(browser: Browser): Promise<Page> {
  const visitor = await browser.newContext()
  visitor.setDefaultTimeout(60_000)
  return visitor.newPage()
}
