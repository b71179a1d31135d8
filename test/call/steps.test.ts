import { expect, test } from 'vitest'
import { deleteSteps } from '../../src/call/delete-steps.ts'
import { stepIdentity } from '../../src/call/step.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'

test('steps that nobody will ask for again are deleted, however many, and no others', async () => {
  const { steps } = openMemoryStore()
  const noon = new Date('2026-01-01T12:00:00Z')
  const later = new Date(noon.getTime() + 1)
  for (let n = 0; n < 1_200; n += 1) await steps.claim({ walkId: `walk-${n}`, name: 'deploy' }, noon)
  await steps.claim({ walkId: 'kept', name: 'deploy' }, later)
  expect(await deleteSteps(steps, later)).toBe(1_200)
  expect(await deleteSteps(steps, later)).toBe(0)
  expect(await steps.claim({ walkId: 'kept', name: 'deploy' }, later)).toEqual({ kind: 'begun' })
})

test('what is sealed for one step opens in no other', () => {
  expect(stepIdentity({ walkId: 'walk-1', name: 'deploy' })).toBe('step/walk-1/deploy')
})
