import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type Assent, createAssent, type ElicitationNews } from '../../src/index.ts'
import { alice, aSecretAsk, bob, onPage, throughClient } from '../support/asks.ts'
import { anAssent, getExisting, testKeys } from '../support/assents.ts'
import { freshDatabase } from '../support/postgres.ts'
import { freshRedis, redisDo } from '../support/stores/redis.ts'
import { temporaryFolder } from '../support/temporary.ts'

const planted = 'sk_live_planted_4eC39HqLyjWDarjtT1zdp7dc'
const answer = { action: 'accept', content: { apiKey: planted } } as const

/** Every way a secret may be written down, as text: plain, in hex, and in base64 at whatever place it begins. */
const spellings = [
  planted,
  Buffer.from(planted).toString('hex'),
  ...[0, 1, 2].flatMap((shift) => {
    // The first and last letters also depend on what stands beside it.
    const inner = Buffer.from(`${'x'.repeat(shift)}${planted}`)
      .toString('base64')
      .slice(4, -4)
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
  }),
]

function expectNoSecret(place: string, bytes: string | Buffer): void {
  for (const spelling of spellings) {
    expect(bytes.includes(spelling), `${place} holds the secret`).toBe(false)
  }
}

/** Goes through everything that a secret meets, right and wrong; gives back all that was said on the way. */
async function useSecret(assent: Assent): Promise<string> {
  const said: unknown[] = []
  const news: ElicitationNews[] = []
  assent.events.listen((one) => news.push(one))
  const { elicitation } = await assent.ask(aSecretAsk())
  const attempts = [onPage(bob), throughClient].map((who) => assent.answer(elicitation.id, who, answer))
  for (const attempt of attempts) await attempt.catch((error: Error) => said.push(error.message, error.stack, error))
  said.push(
    await assent.answer(elicitation.id, onPage(alice), { action: 'accept', content: { apiKey: planted, x: 1 } }),
  )
  said.push(await assent.answer(elicitation.id, onPage(alice), answer))
  said.push(await getExisting(assent, elicitation.id), await assent.verifyAudit())
  for await (const line of assent.exportAudit()) said.push(line)
  expect(await assent.find(alice, 'api-key-stripe')).toMatchObject({ data: { apiKey: planted } })
  return JSON.stringify([said, news])
}

test('the search would find it in base64, wherever it stood', () => {
  for (const before of ['', 'a', 'ab', '{"apiKey":"']) {
    const text = Buffer.from(`${before}${planted}"}`).toString('base64url')
    expect(spellings.some((spelling) => text.includes(spelling))).toBe(true)
  }
})

test('a planted secret is in no SQLite file, log, event or audit', async () => {
  const folder = await temporaryFolder()
  const assent = await anAssent({ store: `sqlite:${join(folder, 'assent.db')}` })
  expectNoSecret('what was said', await useSecret(assent))

  const look = async () => {
    const files = await readdir(folder)
    expect(files).toContain('assent.db')
    for (const file of files) expectNoSecret(file, await readFile(join(folder, file)))
  }
  await look()
  await assent.close()
  await look()
})

test('a planted secret is in no PostgreSQL table, and so in no dump, and in no log, event or audit', async () => {
  const { url, drop } = await freshDatabase()
  onTestFinished(drop)
  const assent = await anAssent({ store: url })
  expectNoSecret('what was said', await useSecret(assent))

  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  const { rows: tables } = await client.query<{ tablename: string }>(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`,
  )
  expect(tables.length).toBeGreaterThan(4)
  for (const { tablename } of tables) {
    const { rows } = await client.query(`SELECT * FROM ${tablename}`)
    expectNoSecret(tablename, JSON.stringify(rows))
  }
})

test('a planted secret is in no key and no value of Redis, and in no log, event or audit', async () => {
  const url = freshRedis()
  const assent = await anAssent({ store: url })
  expectNoSecret('what was said', await useSecret(assent))

  const dumps = await redisDo(url, async (client) => {
    const keys = (await client.keys('*')).filter((key) => key.includes(new URL(url).searchParams.get('prefix') ?? ''))
    return Promise.all(keys.map(async (key) => [key, await client.sendCommand(['DUMP', key])] as const))
  })
  expect(dumps.length).toBeGreaterThan(4)
  for (const [key, dump] of dumps) expectNoSecret(key, `${key} ${dump}`)
})

test('a planted secret is in nothing that a process prints', async () => {
  const folder = await temporaryFolder()
  const program = `
    import { createAssent } from ${JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)}
    const assent = await createAssent({ store: ${JSON.stringify(`sqlite:${join(folder, 'assent.db')}`)} })
    console.log(assent)
    const ask = ${JSON.stringify(aSecretAsk())}
    const { elicitation } = await assent.ask(ask)
    const who = ${JSON.stringify(onPage(alice))}
    console.log(await assent.answer(elicitation.id, who, ${JSON.stringify(answer)}))
    console.dir(await assent.get(elicitation.id), { depth: null })
    await assent.answer(elicitation.id, { ...who, participant: 'bob@x' }, ${JSON.stringify(answer)}).catch(console.error)
    await assent.close()
  `
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    program,
  ])
  expect(stdout).toContain('sealed')
  expectNoSecret('output', stdout + stderr)
})

test('the keys are in nothing that is kept', async () => {
  const folder = await temporaryFolder()
  const assent = await createAssent({ store: `sqlite:${join(folder, 'assent.db')}`, keys: testKeys })
  await useSecret(assent)
  await assent.close()
  const [, key = ''] = testKeys.split(':')
  for (const file of await readdir(folder)) {
    const bytes = await readFile(join(folder, file))
    expect(bytes.includes(key) || bytes.includes(Buffer.from(key, 'base64url')), file).toBe(false)
  }
})

test('a sealed answer moved to another question does not open', async () => {
  const assent = await anAssent()
  const seal = async (apiKey: string) => {
    const { elicitation } = await assent.ask(aSecretAsk({ about: apiKey }))
    await assent.answer(elicitation.id, onPage(alice), { action: 'accept', content: { apiKey } })
    return getExisting(assent, elicitation.id)
  }
  const [first, second] = [await seal('sk_1'), await seal('sk_2')]
  await assent.store.elicitations.saveIfUnchanged({ ...second, version: second.version + 1, state: first.state })
  await expect(assent.getResult(alice, second.id)).rejects.toMatchObject({ code: 'seal_broken' })
  expect(await assent.getResult(alice, first.id)).toMatchObject({ data: { apiKey: 'sk_1' } })
})
