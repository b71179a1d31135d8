import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type StoreUnderTest, storeContract } from 'assent/testing'
import { openJournalStore } from './journal-store.ts'

for (const { name, run } of storeContract) test(name, async () => run(await freshStore()))

async function freshStore(): Promise<StoreUnderTest> {
  const path = join(await mkdtemp(join(tmpdir(), 'journal-')), 'journal')
  return { store: openJournalStore(path), reopen: async () => openJournalStore(path) }
}
