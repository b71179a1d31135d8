import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { consoleSources } from '../../src/cli/serve/web-options.ts'
import { createGateway } from '../../src/gateway/index.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { createWeb, type Web } from '../../src/web/index.ts'
import { anAssent } from '../support/assents.ts'
import { newServer } from '../support/gateway/gateways.ts'
import { sendText26 } from '../support/gateway/text-clients.ts'
import { keepConnections } from '../support/server/keep-connections.ts'
import { openBrowser } from '../support/web/chromium.ts'
import { openEnrolled } from '../support/web/live.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const clockSettings = { skew: 10_000 } as never

/** A gateway with its pages on one port, in front of a real server. */
async function serveAll() {
  let handle: ((...args: Parameters<Web['node']>) => void) | undefined
  const server = createServer(keepConnections, (request, response) => handle?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const rules = [
    { tool: 'forbidden', decide: 'deny' },
    { tool: 'asked', decide: 'ask' },
    { tool: 'never', decide: 'deny' },
    { decide: 'allow' },
  ] as const
  const assent = await anAssent({ publicUrl: origin, policy: { fallback: 'inbox', rules } })
  const url = await newServer((mcp) => {
    const inputSchema = z.object({ text: z.string() })
    const done = { content: [{ type: 'text' as const, text: 'done' }] }
    for (const name of ['fine', 'forbidden', 'asked']) mcp.registerTool(name, { inputSchema }, () => done)
    mcp.registerTool('broken', { inputSchema }, () => ({ ...done, isError: true }))
  })
  const gateway = createGateway({ assent, servers: { up: { url } } })
  const console = consoleSources(gateway, { servers: new Map(), clocks: clockSettings })
  const web = createWeb(assent, { console })
  handle = (request, response) => {
    if (!gateway.handle(request, response)) web.node(request, response)
  }
  onTestFinished(async () => {
    web.close()
    await gateway.close()
    server.close().closeAllConnections()
  })
  const send = sendText26(new URL(`${origin}/mcp/up`))
  return { assent, web, origin, call: (tool: string, text: string) => send(tool, JSON.stringify({ text })) }
}

/** The numbers of a table, by the first cell of each row. */
async function numbersIn(page: Page, caption: string): Promise<Record<string, number[]>> {
  const rows = await page
    .locator('table', { has: page.locator('caption', { hasText: caption }) })
    .locator('tbody tr')
    .all()
  const read = rows.map(
    async (row): Promise<[string, number[]]> => [
      (await row.locator('th').textContent())?.trim() ?? '',
      (await row.locator('td').allTextContents()).map((text) => Number(text.replaceAll(',', ''))),
    ],
  )
  return Object.fromEntries(await Promise.all(read))
}

test('while a load runs, an open overview comes to have the numbers that the load counted', async () => {
  const place = await serveAll()
  const page = await openEnrolled(browser, place, '/console')
  const counted = { fine: 0, broken: 0, forbidden: 0, allowed: 0, denied: 0 }

  const asked = [0, 1, 2, 3, 4].map(async (number) => {
    const reply = await place.call('asked', `question ${number}`)
    counted[reply.includes('"isError":true') ? 'denied' : 'allowed'] += 1
  })
  const answering = (async () => {
    await expect.poll(async () => (await place.assent.store.elicitations.listAllOpen(10)).length).toBe(5)
    const open = await place.assent.store.elicitations.listAllOpen(10)
    const by = { participant: localParticipant, groups: [], via: 'page' } as const
    for (const [index, { id }] of open.entries()) {
      const content = { choice: index < 3 ? 'allow_once' : 'deny' }
      await place.assent.answer(id, by, { action: 'accept', content })
    }
  })()
  for (let round = 0; round < 40; round += 1) {
    const replies = await Promise.all(
      (['fine', 'fine', 'broken', 'forbidden'] as const).map(async (tool, index) => ({
        tool,
        text: await place.call(tool, `${round} ${index}`),
      })),
    )
    for (const { tool, text } of replies) {
      expect(text.includes('"isError":true')).toBe(tool !== 'fine')
      counted[tool] += 1
    }
  }
  await Promise.all([...asked, answering])
  expect(counted).toEqual({ fine: 80, broken: 40, forbidden: 40, allowed: 3, denied: 2 })

  // The page loads its numbers again by itself.
  await page.locator('dl.figures', { hasText: 'Calls165' }).waitFor()
  expect(await numbersIn(page, 'Calls by tool')).toEqual({
    'fine on up': [80, 80, 0, 0],
    'broken on up': [40, 0, 40, 0],
    'forbidden on up': [40, 0, 0, 40],
    'asked on up': [5, 3, 0, 2],
  })
  expect(await numbersIn(page, 'Questions by outcome')).toEqual({ Asked: [5], Accepted: [3], Declined: [2] })
  expect(await numbersIn(page, 'Questions by tool')).toEqual({ 'asked on up': [5, 3, 2, 0] })
  const hours = Object.values(await numbersIn(page, 'Calls by hour'))
  const sums = hours.reduce((all, row) => all.map((sum, index) => sum + (row[index] ?? 0)), [0, 0, 0, 0])
  expect(sums).toEqual([83, 40, 42, 165])

  await page.goto(`${place.origin}/console/policy`)
  const hits = Object.values(await numbersIn(page, 'Rules')).map((row) => row.slice(2))
  expect(hits).toEqual([
    [0, 0, 40],
    [3, 5, 2],
    [0, 0, 0],
    [120, 0, 0],
    [0, 0, 0],
  ])
  await page.getByText('One rule matched nothing in seven days: 3.').waitFor()
}, 180_000)

test('what happens shows up in an open live page, and a server in its page, with its tools', async () => {
  const place = await serveAll()
  const page = await openEnrolled(browser, place, '/console/live')
  await page.getByRole('heading', { name: 'Live' }).waitFor()
  await place.call('fine', 'x')
  await page.getByText('The call of fine on up ended: done').waitFor()
  await page.goto(`${place.origin}/console/servers`)
  await page.getByText('4 tools').click()
  await page.getByRole('rowheader', { name: 'forbidden' }).waitFor()
}, 180_000)

test('the console works without scripts', async () => {
  const place = await serveAll()
  await place.call('fine', 'x')
  const page = await openEnrolled(browser, place, '/console/policy', { javaScriptEnabled: false })
  await page.getByLabel('Server').fill('up')
  await page.getByLabel('Tool', { exact: true }).fill('forbidden')
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByText('The call would be denied.').waitFor()
  await page.getByLabel('Draft', { exact: true }).fill('rules: [{ tool: fine, decide: ask }]')
  await page.getByRole('button', { name: 'Replay it' }).click()
  expect(await numbersIn(page, 'What changes')).toHaveProperty('fine on up')
  await page.getByLabel('Draft', { exact: true }).fill('rules: [{ tool: fine, decide: perhaps }]')
  await page.getByRole('button', { name: 'Replay it' }).click()
  await page
    .getByRole('alert')
    .getByText(/decide/)
    .waitFor()
  await page.goto(`${place.origin}/console/audit`)
  await page.getByRole('button', { name: 'Check that nothing was changed' }).click()
  await expect
    .poll(async () => {
      await page.goto(`${place.origin}/console/audit`)
      return page.getByText('The record is whole').isVisible()
    })
    .toBe(true)
}, 180_000)
