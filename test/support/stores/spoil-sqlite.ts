import { open } from 'node:fs/promises'
import { openSqlite } from '../../../src/stores/sqlite/driver.ts'

const pageSize = 4_096

/** Overwrites the first page of a table, as a failing disk would. Nobody may have the file open. */
export async function spoilTable(path: string, table: string): Promise<void> {
  const database = await openSqlite(path)
  const { rootpage } = database.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(table) ?? {}
  database.close()
  await spoilPage(path, Number(rootpage))
}

/** Makes the file larger than what is checked whenever it is opened, and spoils a page in the middle. */
export async function spoilLarge(path: string): Promise<void> {
  const database = await openSqlite(path)
  database.exec('CREATE TABLE filler (box)')
  database.exec(`INSERT INTO filler WITH RECURSIVE rows (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows LIMIT 5000)
    SELECT zeroblob(3900) FROM rows`)
  database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
  database.close()
  await spoilPage(path, 2_500)
}

async function spoilPage(path: string, page: number): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(pageSize, 0xff), 0, pageSize, (page - 1) * pageSize)
  await file.close()
}
