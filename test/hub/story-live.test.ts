import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPackage } from '../support/build.ts'
import { assent, ended, startAssent } from '../support/cli/cli.ts'
import { startProgram } from '../support/examples/start-program.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { openBrowser, openPage } from '../support/web/chromium.ts'

let browser: Browser
beforeAll(async () => {
  await buildPackage()
  browser = await openBrowser()
})
afterAll(() => browser.close())

const tokens = { AGENT_A_TOKEN: 'a-secret-of-agent-a', AGENT_B_TOKEN: 'a-secret-of-agent-b' }

test('agent-a calls, user-1 changes the target in the inbox, agent-b runs that, and agent-a learns what and by whom', async () => {
  // The store is kept beside the settings.
  const config = join(await temporaryFolder(), 'assent.yaml')
  await copyFile('examples/hub/assent.yaml', config)
  const args = ['gateway', '--config', config, '--port', '0']
  const { child, said } = await startAssent(args, /Ctrl-C/, { env: tokens })
  const [, origin = ''] = /inbox +(http:\/\/\S+)\/inbox/.exec(said()) ?? []
  const [, link = ''] = /(http:\/\/\S+\/enroll\?code=\S+)/.exec(said()) ?? []
  const [, space = ''] = /space +(ws:\/\/\S+)/.exec(said()) ?? []
  expect(said()).not.toContain('name no server')
  const env = { ...tokens, SPACE: space }
  const page = await openPage(browser)
  await page.goto(link)
  await page.getByRole('button', { name: 'Use this browser' }).click()
  await page.goto(`${origin}/inbox`)

  const b = startProgram('examples/hub/agent-b.ts', [], env)
  await b.prints(/agent-b serves deploy/)
  const a = startProgram('examples/hub/agent-a.ts', [], env)
  await a.prints(/A person must approve deploy first\. http/)

  const beside = (...words: string[]) => assent(['hub', ...words, '--config', config], tokens)
  await expect.poll(async () => (await beside('status')).out).toMatch(/\nops +3 +1 +1\n$/)

  // The open inbox shows it by itself.
  await page.getByText('asked by agent-a').first().waitFor()
  await page.getByRole('link', { name: 'Open: Run deploy' }).click()
  await page.getByText('ops/agent-b').first().waitFor()
  await page.getByRole('radio', { name: 'staging' }).check()
  await page.getByLabel('Reason').fill('Not on a Friday.')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()

  await b.prints(/Deploying to staging\./)
  const { code, printed } = await a.ended()
  expect(code).toBe(0)
  expect(printed).toContain('Deployed to staging.')
  expect(printed).toContain('Approved by local, in the inbox.')
  expect(printed).toContain('Changed target: production → staging')

  expect((await beside('tail', 'ops', '--limit', '1')).out).toContain('Deployed to staging.')

  const metrics = await (await fetch(`${origin}/metrics`)).text()
  expect(metrics).toContain('assent_hub_participants{space="ops"} 1')
  expect(metrics).toContain('assent_hub_requests_waiting{space="ops"} 0')
  expect(await ended(child, 'SIGTERM')).toBe(0)
}, 180_000)

test('docs/hub.md shows the settings of the example as they are', async () => {
  const settings = await readFile('examples/hub/assent.yaml', 'utf8')
  expect(await readFile('docs/hub.md', 'utf8')).toContain(`\`\`\`yaml\n${settings}\`\`\``)
})
