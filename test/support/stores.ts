import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { openPostgresStore } from '../../src/stores/postgres/open.ts'
import { openRedisStore } from '../../src/stores/redis/open.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open.ts'
import type { Store } from '../../src/stores/store.ts'
import type { StoreUnderTest } from '../../src/testing/contracts/contract-test.ts'
import { freshDatabase } from './postgres.ts'
import { freshRedis } from './stores/redis.ts'
import { temporaryFolder } from './temporary.ts'

/** Every store there is, each fresh and empty for the test that opens it. */
export const everyStore: Record<string, () => Promise<StoreUnderTest>> = {
  async memory() {
    return { store: openMemoryStore() }
  },
  async sqlite() {
    const path = join(await temporaryFolder(), 'assent.db')
    const reopen = () => closedAtEnd(openSqliteStore(path))
    return { store: await reopen(), reopen }
  },
  async postgres() {
    const { url, drop } = await freshDatabase()
    onTestFinished(drop)
    const reopen = () => closedAtEnd(openPostgresStore(url))
    return { store: await reopen(), reopen }
  },
  async redis() {
    const url = freshRedis()
    const reopen = () => closedAtEnd(openRedisStore(url))
    return { store: await reopen(), reopen }
  },
}

/** Addresses of stores on a server, each fresh and empty for the test that asks for one. */
export const serverStores: Record<string, () => Promise<string>> = {
  async postgres() {
    const { url, drop } = await freshDatabase()
    onTestFinished(drop)
    return url
  },
  async redis() {
    return freshRedis()
  },
}

/** Addresses of stores that several processes can share. */
export const sharedStores: Record<string, () => Promise<string>> = {
  async sqlite() {
    return `sqlite:${join(await temporaryFolder(), 'assent.db')}`
  },
  ...serverStores,
}

/** Tests may close a store themselves; closing twice harms nothing. */
async function closedAtEnd(opening: Promise<Store>): Promise<Store> {
  const store = await opening
  onTestFinished(() => store.close())
  return store
}
