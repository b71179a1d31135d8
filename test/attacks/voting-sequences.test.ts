import { expect, test } from 'vitest'
import { playSequences } from '../support/approval/voting-sequences.ts'
import { everyStore } from '../support/stores.ts'

/** Few where each step goes to a disk or a server; `npm run soak -- --only-votes` plays 20,000. */
const sequences: Readonly<Record<string, number>> = { memory: 1_000, sqlite: 100, postgres: 40 }
const seed = 20_261_118

test.each(Object.entries(everyStore))(
  'on %s a call runs only if enough different people said yes to exactly this, and once, whatever happens',
  async (name, fresh) => {
    const { store } = await fresh()
    const count = sequences[name] ?? 40
    const { states, ran, crowds } = await playSequences(store, { sequences: count, seed, crowdEvery: 20 })
    expect([...states].sort()).toEqual(['expired', 'no', 'open', 'withdrawn', 'yes'])
    expect(ran).toBeGreaterThan(count / 20)
    expect(crowds).toBeGreaterThan(0)
  },
  300_000,
)
