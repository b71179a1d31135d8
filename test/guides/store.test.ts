import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openJournalStore } from '../../examples/guides/store/journal-store.ts'
import { storeContract } from '../../src/testing/index.ts'
import { testKeys } from '../support/assents.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { start } from './programs.ts'

describe('the store of the guide keeps every promise', () => {
  test.each(storeContract)('$name', async ({ run }) => {
    const path = join(await temporaryFolder(), 'journal')
    await run({ store: openJournalStore(path), reopen: async () => openJournalStore(path) })
  })
})

test('its contract runs under node:test, as the guide says', async () => {
  const { code, printed } = await start('store/contract.ts').ended()
  expect(printed).toContain(`# pass ${storeContract.length}`)
  expect(code).toBe(0)
})

test('one process asks, another answers, and the first goes on', async () => {
  const path = join(await temporaryFolder(), 'journal')
  const asking = start('store/main.ts', [path], { ASSENT_KEYS: testKeys })
  const [id] = await asking.prints(/^[\w-]{36}$/m)

  await start('store/main.ts', [path, id], { ASSENT_KEYS: testKeys }).ended()
  expect(await asking.ended()).toEqual({
    code: 0,
    printed: `${id}\n{"action":"accept","content":{"branch":"main"}}\n`,
  })
})
