import { expect, test } from 'vitest'
import type { PostgresDatabase } from '../../src/stores/postgres/database.ts'
import { gatherNotifications } from '../../src/stores/postgres/tables/notify.ts'

/** A database whose statements end when the test says so. */
function slowDatabase() {
  const sent: (readonly string[])[] = []
  const ends: (() => void)[] = []
  const query = async (_: unknown, [, ids]: readonly unknown[]) => {
    sent.push(ids as string[])
    await new Promise<void>((resolve) => ends.push(resolve))
    return { rows: [] }
  }
  return { sent, end: () => ends.shift()?.(), database: { query } as unknown as PostgresDatabase }
}

test('the first change is notified at once, and those that come meanwhile together, each once', async () => {
  const { sent, end, database } = slowDatabase()
  const notify = gatherNotifications(database, 'channel')
  notify('one')
  expect(sent).toEqual([['one']])
  for (const id of ['two', 'three', 'two']) notify(id)
  end()
  await expect.poll(() => sent).toEqual([['one'], ['two', 'three']])
  end()
})

test('a notification that hangs keeps those that come later back for a moment only', async () => {
  const { sent, database } = slowDatabase()
  const notify = gatherNotifications(database, 'channel')
  for (const id of ['one', 'two']) notify(id)
  await expect.poll(() => sent).toEqual([['one'], ['two']])
})
