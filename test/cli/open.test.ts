import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAssent } from '../../src/index.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { buildPackage } from '../support/build.ts'
import { aBrowser } from '../support/cli/browser.ts'
import { assent, startAssent } from '../support/cli/cli.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage)

async function aStore(): Promise<string> {
  return `sqlite:${join(await temporaryFolder(), 'assent.db')}`
}

async function enrolled(store: string): Promise<void> {
  const one = await createAssent({ store, keys: '' })
  const now = Date.now()
  const browser = (id: string, name: string, days: number) => ({
    id,
    key: `digest-of-${id}`,
    participant: localParticipant,
    groups: [],
    by: 'link' as const,
    name,
    createdAt: new Date(now - 10 * 86_400_000),
    expiresAt: new Date(now + days * 86_400_000),
  })
  await one.store.browsers.add(browser('b1', 'Firefox on Linux', 80))
  await one.store.browsers.add(browser('b2', 'An old one', -1))
  await one.close()
}

describe('assent open', () => {
  test('makes a link that the running gateway takes, and --print prints nothing else', async () => {
    const store = await aStore()
    const { said } = await startAssent(['--store', store, '--port', '0'], /Ctrl-C/)
    const [, port = ''] = /:(\d+)\/healthz/.exec(said()) ?? []
    const { out, err, code } = await assent(['--store', store, 'open', '--print', '--port', port])
    expect({ err, code }).toEqual({ err: '', code: 0 })
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/enroll\?code=\S+\n$/)
    expect((await fetch(out.trim())).status).toBe(200)
    expect((await fetch(`${out.trim().slice(0, -3)}AAA`)).ok).toBe(false)
  })

  test('opens the browser and prints the link; says when nothing is served yet; --quiet prints nothing', async () => {
    const store = await aStore()
    const { env, opened } = await aBrowser()
    const loud = await assent(['--store', store, 'open', '--port', '9'], env)
    expect(loud.code).toBe(0)
    const [, link = ''] = /(http:\S+)/.exec(loud.out) ?? []
    await expect.poll(opened).toContain(link)
    expect(loud.err).toContain('Nothing answers at http://127.0.0.1:9 yet')
    expect((await assent(['--store', store, 'open', '--quiet', '--port', '9'], env)).out).toBe('')
    await expect.poll(async () => (await opened()).trim().split('\n')).toHaveLength(2)
  })

  test('without a program to open it with, the link is there all the same', async () => {
    const ran = await assent(['--store', await aStore(), 'open'], { BROWSER: '/no/such/program' })
    expect(ran).toMatchObject({ code: 0, err: expect.stringContaining('Open the link yourself') })
    expect(ran.out).toContain('/enroll?code=')
  })

  test('with a store in memory says where the link is', async () => {
    const ran = await assent(['--store', 'memory:', 'open', '--print'])
    expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Open the one that it prints') })
  })

  test('with a login says that people sign in', async () => {
    const file = join(await temporaryFolder(), 'assent.yaml')
    const auth = 'auth: { issuer: "https://login.example.com", audience: a }'
    await writeFile(file, `version: 1\npublicUrl: https://assent.example.com\n${auth}\n`)
    const { env, opened } = await aBrowser()
    const ran = await assent(['open', '--config', file], env)
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('People sign in to these pages') })
    await expect.poll(opened).toBe('https://assent.example.com\n')
  })

  test('lists the browsers that are enrolled, and revokes one, which the audit knows', async () => {
    const store = await aStore()
    const run = (...args: string[]) => assent(['--store', store, ...args])
    expect((await run('open', '--list')).out).toBe('No browser is enrolled.\n')
    await enrolled(store)
    expect((await run('open', '--list')).out).toMatch(
      /^ID +BROWSER +ENROLLED +UNTIL\nb1 +Firefox on Linux +\d{4}-.* UTC\n$/,
    )
    const json = (await run('open', '--list', '--json')).out
    expect(JSON.parse(json)).toMatchObject([{ id: 'b1', name: 'Firefox on Linux', by: 'link' }])
    expect(json).not.toContain('digest-of')

    expect(await run('open', '--revoke', 'b1')).toMatchObject({ code: 0, out: expect.stringContaining('no longer') })
    expect(await run('open', '--revoke', 'b1')).toMatchObject({ code: 1, err: expect.stringContaining('--list') })
    expect((await run('open', '--list')).out).toBe('No browser is enrolled.\n')
    expect((await run('audit', 'export')).out).toMatch(/"browser-removed".*"b1"|"b1".*"browser-removed"/)
  })

  test('shows how, with examples', async () => {
    const { out } = await assent(['open', '--help'])
    for (const word of ['--print', '--list', '--revoke', 'Examples']) expect(out).toContain(word)
  })
})
