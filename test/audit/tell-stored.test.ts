import { expect, test } from 'vitest'
import { anAssent } from '../support/assents.ts'
import { everyStore } from '../support/stores.ts'

test.each(Object.entries(everyStore))('whoever listens gets every event that was stored, on %s', async (_, fresh) => {
  const { store } = await fresh()
  const told: string[] = []
  const assent = await anAssent({ store, onStored: (events) => void told.push(...events.map(({ kind }) => kind)) })
  await assent.record({ kind: 'custom:one' })
  await assent.record({ kind: 'custom:two' })
  expect(told.filter((kind) => kind.startsWith('custom:'))).toEqual(['custom:one', 'custom:two'])
  expect(await assent.verifyAudit()).toMatchObject({ found: 0 })
})
