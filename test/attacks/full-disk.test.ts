import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { rawCall } from '../support/asking/asking-raw.ts'
import { testKeys } from '../support/assents.ts'
import { buildPackage } from '../support/build.ts'
import { startAssent } from '../support/cli/cli.ts'
import { freshDatabase } from '../support/postgres.ts'
import { aGateway, anUpstream } from '../support/walks/killing.ts'

beforeAll(buildPackage)

const readiness = async (origin: string) => {
  const response = await fetch(`${origin}/readyz`)
  const { store, problems } = (await response.json()) as { store: string; problems?: string[] }
  return { status: response.status, store, problems }
}

const ready = { status: 200, store: 'up' }
const notWritable = {
  status: 503,
  store: 'not writable',
  problems: [expect.stringContaining('can be read but not written')],
}

test('attack: the disk is full and nothing can run; the balancer is told, and told when there is room again', async () => {
  const up = await anUpstream('2026')
  const { url, child } = await aGateway(up.url, 'policy: { default: allow }\n')
  /** As on a full disk, no file of the gateway can grow. */
  const limitFiles = (bytes: string) =>
    promisify(execFile)('prlimit', ['--pid', String(child().pid), `--fsize=${bytes}:`])
  expect(await readiness(url.origin)).toMatchObject(ready)
  await limitFiles('1')
  const { result, error } = await rawCall(url, { name: 'work', arguments: { id: 'one' } })
  expect(result?.content?.[0]?.text ?? error?.message).not.toBe('did one')
  await expect.poll(() => readiness(url.origin)).toMatchObject(notWritable)
  expect(await up.runs()).toEqual([])

  await limitFiles('unlimited')
  await expect.poll(() => readiness(url.origin)).toMatchObject(ready)
  const after = await rawCall(url, { name: 'work', arguments: { id: 'two' } })
  expect(after.result?.content?.[0]?.text).toBe('did two')
})

test('attack: PostgreSQL fails over to a server that is read-only; the balancer is told, and told when it is over', async () => {
  const { url: store, drop } = await freshDatabase()
  onTestFinished(drop)
  const { said } = await startAssent(['--store', store, '--port', '0'], /Ctrl-C/, { env: { ASSENT_KEYS: testKeys } })
  const [, origin = ''] = /health +(http:\S+)\/healthz/.exec(said()) ?? []
  const setReadOnly = async (isReadOnly: boolean) => {
    const client = new pg.Client(store)
    await client.connect()
    const { rows } = await client.query('select current_database() as name')
    await client.query('set default_transaction_read_only = off')
    await client.query(`alter database ${rows[0].name} set default_transaction_read_only = ${isReadOnly}`)
    // The setting holds for new connections.
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await client.end()
  }
  expect(await readiness(origin)).toMatchObject(ready)
  await setReadOnly(true)
  await expect.poll(() => readiness(origin)).toMatchObject(notWritable)
  await setReadOnly(false)
  await expect.poll(() => readiness(origin)).toMatchObject(ready)
})
