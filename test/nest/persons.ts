import type { Browser, Page } from 'playwright-core'
import type { AskedClient, Result } from '../support/asking/asking-clients.ts'
import { openPage } from '../support/web/chromium.ts'
import type { TestApp } from './start-app.ts'

/** A browser page of a user that the test guard knows by a cookie. */
export async function pageOf(browser: Browser, { origin }: Pick<TestApp, 'origin'>, user?: string): Promise<Page> {
  const page = await openPage(browser)
  if (user !== undefined) await page.context().addCookies([{ name: 'user', value: user, url: origin }])
  return page
}

/** A browser page of the local person, enrolled by the link that the application logs. */
export async function enrolledPage(browser: Browser, { elicitation }: Pick<TestApp, 'elicitation'>): Promise<Page> {
  const page = await openPage(browser)
  await page.goto(await elicitation.enrollLink())
  await page.getByRole('button').first().click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

/** Types a key on the page where it is asked for. */
export async function typeKey(page: Page, url: string, label: string, key: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('textbox', { name: label }).fill(key)
  await page.getByRole('button', { name: 'Save key', exact: true }).click()
  await page.getByRole('heading', { name: 'Key saved' }).waitFor()
}

/** Calls a tool. Its person visits each page that the client is sent to: by a question, or by the error -32042. */
export async function callVisiting(
  client: AskedClient,
  name: string,
  args: Record<string, unknown>,
  visit: (url: string) => Promise<void>,
): Promise<Result> {
  client.answers(async ({ url = '' }) => {
    await visit(url)
    return { action: 'accept' }
  })
  try {
    return await client.call(name, args)
  } catch (error) {
    for (const { url } of elicitationsIn(error)) await visit(url)
    return client.call(name, args)
  }
}

/** The pages that the error -32042 names. Throws any other error on. */
export function elicitationsIn(error: unknown): { readonly url: string; readonly elicitationId: string }[] {
  const { code, data } = error as { code?: number; data?: { elicitations?: never[] } }
  if (code !== -32042 || data?.elicitations === undefined) throw error
  return data.elicitations
}
