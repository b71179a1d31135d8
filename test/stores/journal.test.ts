import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import type { AuditEvent } from '../../src/audit/event.ts'
import { exportAudit } from '../../src/audit/export.ts'
import { verifyAudit } from '../../src/audit/verify.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open.ts'
import type { Store } from '../../src/stores/store.ts'
import { key } from '../support/audit/audits.ts'
import { compiled } from '../support/programs.ts'
import { temporaryFolder } from '../support/temporary.ts'

async function opened(path: string): Promise<Store> {
  const store = await openSqliteStore(path)
  onTestFinished(() => store.close())
  return store
}

/** A process that records events, prints their numbers, and is killed before the given step. */
function recording(program: string, path: string, ...rest: string[]) {
  const file = compiled(new URL(program, import.meta.url))
  const child = spawn(process.execPath, [file, path, key.toString('hex'), ...rest], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function numbersOf(child: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<number[]> {
  const numbers: number[] = []
  for await (const line of createInterface(child.stdout)) numbers.push(Number(line))
  return numbers
}

const journalsIn = async (folder: string) => (await readdir(folder)).filter((name) => name.includes('-audit-'))

/** Every event, chain by chain, as a reader gets it. */
async function eventsIn({ audit }: Store): Promise<AuditEvent[]> {
  const lines: string[] = []
  for await (const line of exportAudit(audit, new Date())) lines.push(line)
  return lines.slice(0, -1).map((line) => JSON.parse(line).event)
}

const findingsIn = async ({ audit }: Store) => (await verifyAudit({ store: audit, key })).findings

/** A store with a journal that a killed process left behind some minutes ago, with three events. */
async function withLeftJournal(): Promise<string> {
  const folder = await temporaryFolder()
  const path = join(folder, 'assent.db')
  await (await openSqliteStore(path)).close()
  const child = recording('./recording-process.ts', path, '3')
  await expect.poll(() => journalsIn(folder)).toHaveLength(1)
  for await (const line of createInterface(child.stdout)) if (line === '3') break
  child.kill('SIGKILL')
  await once(child, 'exit')
  const [name = ''] = await journalsIn(folder)
  const longAgo = new Date(Date.now() - 5 * 60_000)
  await utimes(join(folder, name), longAgo, longAgo)
  return folder
}

test('killed before any step of recording, packing and clearing up, a process loses no event that it was told is stored', async () => {
  const template = await withLeftJournal()
  let isKilled = true
  let kills = 0
  for (let killAt = 1; isKilled; killAt++) {
    const folder = await temporaryFolder()
    await cp(template, folder, { recursive: true, preserveTimestamps: true })
    const path = join(folder, 'assent.db')
    const child = recording('./journal-process.ts', path, `${killAt}`)
    const [told, [, signal]] = await Promise.all([numbersOf(child), once(child, 'exit')])
    isKilled = signal === 'SIGKILL'
    if (isKilled) kills += 1

    const store = await opened(path)
    const written = (await eventsIn(store)).filter(({ kind }) => kind === 'custom:recorded')
    const [left, own] = [written.slice(0, 3), written.slice(3)]
    expect(left.map(({ data }) => data.n)).toEqual([1, 2, 3])
    const numbers = own.map(({ data }) => Number(data.n))
    expect(numbers.slice(0, told.length), `killed before step ${killAt}`).toEqual(told)
    // An event that nobody was told of may be stored too: the process was killed in between.
    expect(numbers.length - told.length).toBeLessThanOrEqual(1)
    expect(await findingsIn(store), `killed before step ${killAt}`).toEqual([])
    await store.close()
    if (!isKilled) expect(told).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  }
  expect(kills).toBeGreaterThan(25)
})
