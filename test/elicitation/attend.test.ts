import { expect, test } from 'vitest'
import { askerLeftAt } from '../../src/elicitation/elicitation.ts'
import type { ElicitationId } from '../../src/index.ts'
import { anAsk } from '../support/asks.ts'
import { anAssent, getExisting } from '../support/assents.ts'

test('of more than 10,000 questions of a session, the oldest is not marked when it ends, and stays open', async () => {
  const assent = await anAssent()
  const connected = new AbortController()
  const { elicitation: oldest } = await assent.ask(anAsk({ about: 'oldest' }))
  const { elicitation: newest } = await assent.ask(anAsk({ about: 'newest' }))
  assent.attend(oldest.id, connected.signal)
  for (let n = 1; n < 10_000; n++) assent.attend(`another-${n}` as ElicitationId, connected.signal)
  assent.attend(newest.id, connected.signal)
  connected.abort()
  await expect.poll(async () => askerLeftAt(await getExisting(assent, newest.id))).toBeInstanceOf(Date)
  const { state } = await getExisting(assent, oldest.id)
  expect(state).toEqual({ kind: 'open' })
})
