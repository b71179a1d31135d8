import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AssentServerOptions, requireConnection } from '../../src/server/index.ts'
import { scriptedUi } from '../../src/testing/index.ts'
import { type AskedClient, connect11 } from '../support/asking/asking-clients.ts'
import { everyClient, textOf } from '../support/client/clients.ts'
import { say, until } from '../support/server/servers.ts'
import { connectAccount, enrolled, type InstallationOptions, install, newcomer } from '../support/walks/installation.ts'
import { openBrowser } from '../support/web/chromium.ts'

// The tests that the design of Nextcloud's progressive consent names, and its migration phases. docs/coming-from/nextcloud.md
// tells its users where each thing went.

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

/** A server of notes whose tool needs an account, as `@require_provisioning` made it. */
function nextcloud(
  server: Omit<AssentServerOptions, 'name'> = { urlBy: 'error' },
  options: Omit<InstallationOptions, 'server' | 'register'> = {},
) {
  return install({
    ...options,
    server,
    register: (mcp, { tool }, oauth) =>
      mcp.registerTool(
        'nc_notes_list_notes',
        { description: 'Lists notes', inputSchema: z.object({}) },
        tool(
          requireConnection('notes', { scopes: ['notes.read'] }, async (_args: object, _ask, _ctx, { headers }) => {
            const { notes } = (await (await fetch(oauth.endpoints.notes, { headers })).json()) as { notes: string[] }
            return say(notes.join('\n'))
          }),
        ),
      ),
  })
}

interface RequiredPage {
  readonly mode: string
  readonly url: string
  readonly elicitationId: string
}

/** Calls the tool, and gives back the page that the error names. */
async function trigger(client: AskedClient): Promise<RequiredPage> {
  const error = await client.call('nc_notes_list_notes').catch((error: unknown) => error)
  // -32042 and not -32000: 2025-11-25 gave the error a code of its own, and -32000 says nothing to a client.
  expect(error).toMatchObject({ code: -32_042, data: { elicitations: [{ mode: 'url' }] } })
  return (error as { data: { elicitations: [RequiredPage] } }).data.elicitations[0]
}

describe('the tests of progressive consent', () => {
  test('first-time user: the first call triggers an elicitation, whose url alone opens nothing', async () => {
    const place = await nextcloud()
    const { url, elicitationId } = await trigger(await place.connect(connect11))
    const { pathname, searchParams } = new URL(url)
    expect(pathname).toBe('/oauth/connect/notes')
    expect([...searchParams]).toEqual([['elicitation_id', elicitationId]])

    // The original took the id for proof of who came. Whoever gets hold of a link would then connect their account.
    const stranger = await newcomer(browser)
    const response = await stranger.goto(url)
    expect(response?.status()).toBe(403)
    expect(place.oauth.count('/auth')).toBe(0)
  })

  test('progress tracking: it is told while the person is away, and completes when they are done', async () => {
    const place = await nextcloud()
    const client = await place.connect(connect11)
    const page = await enrolled(browser, place)
    const { url, elicitationId } = await trigger(client)
    const progress: number[] = []
    // The original sent 50 each time. Progress must rise (X26-04).
    const tracked = client.request(
      'elicitation/track',
      { elicitationId },
      { onprogress: (p) => progress.push(p.progress) },
    )
    // The original slept for a second; the first progress says that tracking has begun.
    await until(() => progress.length > 0)
    await connectAccount(page, url)
    expect(await tracked).toMatchObject({ status: 'complete' })
    await until(() => client.completed.includes(elicitationId))

    await expect(client.request('elicitation/track', { elicitationId: 'never-was' })).rejects.toMatchObject({
      code: -32_602,
    })
  })

  test('progress tracking: not of the request of somebody else, for whom it does not exist', async () => {
    const place = await nextcloud({ urlBy: 'error' }, { withLogin: true })
    const token = (account: string) => place.oauth.tokenFor(account, { audience: `${place.origin}/mcp` })
    const { elicitationId } = await trigger(await place.connect(connect11, { token: await token('alice') }))
    const bob = await place.connect(connect11, { token: await token('bob') })
    await expect(bob.request('elicitation/track', { elicitationId })).rejects.toMatchObject({ code: -32_602 })
  })

  test.each(everyClient)(
    'auto-retry: the call goes on by itself after provisioning, through %s',
    async (_, connect) => {
      const place = await nextcloud()
      const page = await enrolled(browser, place)
      const ui = scriptedUi({ consentToOpen: ['open'], open: (url) => connectAccount(page, url) })
      const client = await connect(new URL(`${place.origin}/mcp`), ui, { server: 'nextcloud' })
      expect(textOf(await client.callTool({ name: 'nc_notes_list_notes' }))).toBe('A note of ada')
      expect(textOf(await client.callTool({ name: 'nc_notes_list_notes' }))).toBe('A note of ada')
      expect(ui.all('consent')).toHaveLength(1)
    },
  )

  test('time-out: tracking ends, and the request does not: a person who is late can still finish', async () => {
    const place = await nextcloud()
    const client = await place.connect(connect11)
    const page = await enrolled(browser, place)
    const { url, elicitationId } = await trigger(client)
    // -31001 and not -32000, which every SDK uses for any error; the status says that it was the time.
    await expect(client.request('elicitation/track', { elicitationId, timeoutMs: 20 })).rejects.toMatchObject({
      code: -31_001,
      data: { status: 'timed-out' },
    })
    await connectAccount(page, url)
    expect((await client.call('nc_notes_list_notes')).text).toBe('A note of ada')
  })
})

describe('the migration phases of progressive consent', () => {
  const names = {
    request: 'provision_nextcloud_access',
    check: 'check_provisioning_status',
    revoke: 'revoke_nextcloud_access',
  }
  const toolsOf = async (client: AskedClient) =>
    ((await client.listTools()) as { tools: { name: string; description?: string; inputSchema: object }[] }).tools
  const statusOf = async (client: AskedClient, tool: string) =>
    ((await client.call(tool)).structuredContent as { status: string; url?: string }) ?? {}

  test('1, both ways: the old tools work under their names and without arguments, and the others ask by themselves', async () => {
    const place = await nextcloud({ urlBy: 'error', accessTools: { providers: ['notes'], names } })
    const page = await enrolled(browser, place)
    const client = await place.connect(connect11, { elicitation: undefined })
    expect(await statusOf(client, names.check)).toMatchObject({ status: 'not_connected' })
    const { status, url = '' } = await statusOf(client, names.request)
    expect(status).toBe('pending')
    await connectAccount(page, url)
    expect(await statusOf(client, names.check)).toMatchObject({ status: 'connected' })
    expect((await client.call('nc_notes_list_notes')).text).toBe('A note of ada')
    expect(await statusOf(client, names.revoke)).toMatchObject({ status: 'not_connected' })
    expect(place.oauth.count('/token/revocation')).toBeGreaterThan(0)

    await trigger(await place.connect(connect11))
  })

  test('2, deprecated: the old tools say so to the model, and still work', async () => {
    const place = await nextcloud({ accessTools: { providers: ['notes'], names, deprecated: true } })
    const client = await place.connect(connect11, { elicitation: undefined })
    const said = new Map((await toolsOf(client)).map(({ name, description = '' }) => [name, description]))
    expect(said.get(names.request)).toMatch(/^Deprecated: call the tool that you need/)
    expect(said.get(names.request)).toContain(names.check)
    expect(said.get(names.check)).toMatch(/^Deprecated/)
    expect(said.get(names.revoke)).not.toContain('Deprecated')
    expect(await statusOf(client, names.request)).toMatchObject({ status: 'pending' })
  })

  test('3, removed: only taking access back is left, if anything', async () => {
    const kept = { request: false, check: false, revoke: names.revoke } as const
    const place = await nextcloud({ accessTools: { providers: ['notes'], names: kept } })
    const listed = (await toolsOf(await place.connect(connect11))).map(({ name }) => name)
    expect(listed).toContain(names.revoke)
    expect(listed.filter((name) => [names.request, names.check, 'request_access'].includes(name))).toEqual([])

    const without = (await toolsOf(await (await nextcloud({ accessTools: false })).connect(connect11))).map(
      ({ name }) => name,
    )
    expect(without.filter((name) => /access|provision/.test(name))).toEqual([])
  })

  test('where there are several providers, the model must say which', async () => {
    const place = await nextcloud({ accessTools: { names } })
    const client = await place.connect(connect11, { elicitation: undefined })
    const schemas = new Map((await toolsOf(client)).map(({ name, inputSchema }) => [name, inputSchema]))
    expect(schemas.get(names.request)).toMatchObject({ required: ['provider'] })
    expect((await client.call(names.request, { provider: 'notes' })).isError).toBe(false)
    expect((await client.call(names.request)).isError).toBe(true)
  })
})
