import { describe, test } from 'vitest'
import { storeContract } from '../../src/testing/contracts/store-contract.ts'
import { everyStore } from '../support/stores.ts'

describe.each(Object.entries(everyStore))('%s', (_, fresh) => {
  test.each(storeContract)('$name', async ({ run }) => run(await fresh()))
})
