import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { findPostgres } from '../../scripts/private-postgres.js'
import { freshDatabase, privatePostgres } from '../support/postgres.ts'
import { openBrowser, openPage } from '../support/web/chromium.ts'

/** The servers that other tests stand on are real, and leave nothing behind. */
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const deed of undo.splice(0).reverse()) await deed()
})

test('a fresh database is empty, one’s own, and gone when dropped', async () => {
  const database = await freshDatabase()
  undo.push(database.drop)
  const other = await freshDatabase()
  undo.push(other.drop)

  await query(database.url, 'create table kept (id int)')
  await expect(query(other.url, 'select * from kept')).rejects.toThrow('does not exist')

  await database.drop()
  await expect(query(database.url, 'select 1')).rejects.toThrow('does not exist')
})

test('a private server that restarts breaks every connection and keeps what was committed', async () => {
  const server = await privatePostgres()
  undo.push(server.stop)
  await query(server.url, 'create table kept as select 7 as id')
  const client = new pg.Client(server.url)
  const broken = new Promise((resolve) => client.on('error', resolve))
  await client.connect()

  await server.restart()

  expect(await broken).toBeInstanceOf(Error)
  expect(await query(server.url, 'select id from kept')).toEqual([{ id: 7 }])
})

test('as seen from one database, a restart breaks every connection and spares the others', async () => {
  const database = await freshDatabase()
  undo.push(database.drop)
  const client = new pg.Client(database.url)
  const broken = new Promise((resolve) => client.on('error', resolve))
  await client.connect()

  await database.restart(100)

  expect(await broken).toMatchObject({ code: '57P01' })
  expect(await query(database.url, 'select 1 as id')).toEqual([{ id: 1 }])
})

test.runIf(findPostgres())(
  'a private server ends with the one who started it, even if that one is killed',
  async () => {
    const starter = startInAnotherProcess()
    undo.push(() => starter.kill('SIGKILL'))
    const [url] = await once(starter.stdout, 'data')
    expect(await query(String(url), 'select 1 as id')).toEqual([{ id: 1 }])

    starter.kill('SIGKILL')

    await expect
      .poll(() => query(String(url), 'select 1').catch((error: Error) => error.message))
      .toContain('ECONNREFUSED')
  },
)

test('a page opens in a real browser', async () => {
  const site = createServer((_, response) =>
    response.end('<title>Hello</title><button onclick="this.textContent=\'Yes\'">?</button>'),
  )
  await once(site.listen(0, '127.0.0.1'), 'listening')
  undo.push(() => site.close())
  const browser = await openBrowser()
  undo.push(() => browser.close())

  const page = await openPage(browser)
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  await page.getByRole('button').click()

  expect(await page.title()).toBe('Hello')
  expect(await page.getByRole('button').textContent()).toBe('Yes')
})

function startInAnotherProcess(): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const program = `
    import { findPostgres, startPostgres } from './scripts/private-postgres.js'
    console.log((await startPostgres(findPostgres())).url)`
  return spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
