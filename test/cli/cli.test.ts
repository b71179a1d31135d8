import { readFile, stat, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAssent } from '../../src/index.ts'
import { openSqlite } from '../../src/stores/sqlite/driver.ts'
import { alice, anAsk, aSecretAsk, onPage } from '../support/asks.ts'
import { buildPackage } from '../support/build.ts'
import { assent, ended, startAssent } from '../support/cli/cli.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage)

async function aStore(): Promise<{ path: string; store: string }> {
  const path = join(await temporaryFolder(), 'assent.db')
  return { path, store: `sqlite:${path}` }
}

async function answerOne(store: string): Promise<void> {
  const one = await createAssent({ store, keys: '' })
  const { elicitation } = await one.ask(aSecretAsk())
  await one.answer(elicitation.id, onPage(alice), { action: 'accept', content: { apiKey: 'sk_1' } })
  await one.close()
}

describe('assent', () => {
  test('runs on a fresh machine, says what it is, and stops when told, keeping what was asked', async () => {
    const { store, path } = await aStore()
    const { child, said } = await startAssent(['--store', store, 'gateway', '--port', '0'], /Ctrl-C/)
    const [, url = ''] = /(http:\/\/\S+\/healthz)/.exec(said()) ?? []
    const health = await fetch(url)
    expect(health.status).toBe(200)
    expect(await health.json()).toMatchObject({ status: 'ok', name: 'assent' })
    expect(said()).toContain(store)
    expect((await fetch(url.replace('healthz', 'else'))).status).toBe(404)
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
    expect(await ended(child, 'SIGTERM')).toBe(0)
    expect((await stat(`${path}.keys`)).mode & 0o777).toBe(0o600)
  })

  test('refuses a request that was sent to another host name (H26-01)', async () => {
    const { store } = await aStore()
    const { said } = await startAssent(['--store', store, '--port', '0'], /Ctrl-C/)
    const [, port = ''] = /:(\d+)\/healthz/.exec(said()) ?? []
    const status = (host: string) =>
      new Promise((resolve, reject) => {
        get({ port, host: '127.0.0.1', path: '/healthz', headers: { host } }, ({ statusCode }) =>
          resolve(statusCode),
        ).on('error', reject)
      })
    expect(await status('evil.example.com')).toBe(403)
    expect(await status(`localhost:${port}`)).toBe(200)
  })

  test('says which port is taken, and what to do', async () => {
    const { store } = await aStore()
    const { said } = await startAssent(['--store', store, '--port', '0'], /Ctrl-C/)
    const [, port = ''] = /:(\d+)\/healthz/.exec(said()) ?? []
    const second = await assent(['--store', store, '--port', port])
    expect(second).toMatchObject({ code: 2, err: `Port ${port} is in use; choose another with --port.\n` })
  })

  test('shows its help and its version', async () => {
    const { out, code } = await assent(['--help'])
    expect(code).toBe(0)
    for (const word of ['gateway', 'keys', 'audit', 'forget', '--store']) expect(out).toContain(word)
    expect((await assent(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect((await assent(['audit', 'verify', '--help'])).out).toContain('audit.jsonl')
  })

  test.each([
    [
      ['--store', 'mysql://user:hunter2@x/y', 'keys', 'list'],
      2,
      /memory:, sqlite:<path>, postgres:\/\/… or redis:\/\//,
    ],
    [['--store', 'sqlite:', 'keys', 'list'], 2, /must name a file/],
    [['--store', 'sqlite:x?mode=ro', 'keys', 'list'], 2, /does not support mode/],
    [['--store', 'sqlite:x?survives=all', 'keys', 'list'], 2, /process or power/],
    [['--store', 'postgres://user:hunter2@127.0.0.1:1/y', 'keys', 'list'], 2, /ASSENT_KEYS/],
    [['--store', 'redis://user:hunter2@127.0.0.1:1/0', 'keys', 'list'], 2, /ASSENT_KEYS/],
    [['gateway', '--port', 'x'], 2, /number from 0 to 65535/],
    [['no-such-command'], 2, /There is no command no-such-command\. See: assent --help/],
    [['grant'], 2, /Did you mean grants\?/],
    [['inbox', 'allow'], 2, /Try: assent inbox allow --help/],
  ] as const)('%j ends with %d and one clear line', async (args, code, message) => {
    const ran = await assent(args)
    expect(ran.err).toMatch(message)
    expect(ran.err + ran.out).not.toContain('hunter2')
    expect(ran.err).not.toMatch(/^\s+at /m)
    expect(ran.code).toBe(code)
  })

  test('tells that the path of a store cannot be used, and that this is no bug', async () => {
    const keys = (await assent(['keys', 'make'])).out.trim()
    const ran = await assent(['--store', `sqlite:${await temporaryFolder()}`, 'keys', 'list'], { ASSENT_KEYS: keys })
    expect(ran).toMatchObject({ code: 3, err: expect.stringMatching(/^The store cannot be reached\.\n {2}EISDIR/) })
  })

  test('tells that a server cannot be reached, without its password', async () => {
    const keys = (await assent(['keys', 'make'])).out.trim()
    const ran = await assent(['--store', 'postgres://user:hunter2@127.0.0.1:1/y', 'keys', 'list'], {
      ASSENT_KEYS: keys,
    })
    expect(ran.code).toBe(3)
    expect(ran.err).toContain('The store cannot be reached.')
    expect(ran.err + ran.out).not.toContain('hunter2')
  })
})

describe('assent keys', () => {
  test('makes, lists, rotates and drops', async () => {
    const { store, path } = await aStore()
    await answerOne(store)
    const run = (...args: string[]) => assent(['--store', store, 'keys', ...args])
    const [{ id }] = JSON.parse((await run('list', '--json')).out)
    const rotated = await run('rotate')
    expect(rotated).toMatchObject({ code: 0 })
    expect(rotated.out).toMatch(/^1 secret is now sealed with the key \S+\./)
    expect((await run('list')).out).toMatch(/^\S+ {2}seals {2}in use\n\S+ {2}opens only {2}not in use\n$/)
    expect(await run('drop', id)).toMatchObject({ code: 0, out: `The key ${id} is removed.\n` })
    expect(await run('drop', id)).toMatchObject({ code: 2 })
    expect(await readFile(`${path}.keys`, 'utf8')).not.toContain(id)
  })
})

describe('assent audit', () => {
  test('verifies, exports, and finds what was tampered with or cut off', async () => {
    const { store, path } = await aStore()
    await answerOne(store)
    const run = (...args: string[]) => assent(['--store', store, 'audit', ...args])
    expect(await run('verify')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^The audit is intact: \d+ events in 1 chain\.\n$/),
    })

    const { out } = await run('export')
    const file = `${path}.jsonl`
    await writeFile(file, out)
    expect(out.trim().split('\n').length).toBeGreaterThan(3)
    expect(await run('verify', '--heads', file)).toMatchObject({ code: 0 })

    const database = await openSqlite(path)
    database.exec("DELETE FROM audit_event WHERE kind = 'chain-closed'")
    expect(await run('verify')).toMatchObject({ code: 0 })
    const cut = await run('verify', '--heads', file)
    expect(cut.code).toBe(1)
    database.exec(`UPDATE audit_event SET data = '{"purpose":"input"}' WHERE kind = 'question-answered'`)
    const tampered = await run('verify', '--json')
    expect(tampered.code).toBe(1)
    expect(JSON.parse(tampered.out).findings).toMatchObject([{ seq: 3, problem: 'changed' }])
    database.close()
  })

  test('says when a file of heads cannot be used', async () => {
    const { store, path } = await aStore()
    const run = (file: string) => assent(['--store', store, 'audit', 'verify', '--heads', file])
    expect(await run('/no/such/file')).toMatchObject({
      code: 2,
      err: '/no/such/file cannot be read: there is no such file.\n',
    })
    await writeFile(`${path}.txt`, 'not an export')
    expect(await run(`${path}.txt`)).toMatchObject({ code: 2, err: expect.stringContaining('no audit export') })
  })
})

describe('assent forget', () => {
  test('deletes a participant by name', async () => {
    const { store } = await aStore()
    await answerOne(store)
    const run = (name: string) => assent(['--store', store, 'forget', name])
    expect(await run(alice)).toMatchObject({
      code: 0,
      out: `${alice} is forgotten: 1 questions, 0 connections and 0 permissions deleted.\n`,
    })
    expect(await run('who?')).toMatchObject({ code: 2, err: expect.stringContaining('subject@issuer') })
    const one = await createAssent({ store, keys: '' })
    expect(await one.find(alice, 'api-key-stripe')).toBeUndefined()
    await one.ask(anAsk())
    await one.close()
  })
})
