import { onTestFinished } from 'vitest'
import { mustExist } from '../../src/elicitation/errors.ts'
import { type Assent, type AssentOptions, createAssent, type Elicitation, type ElicitationId } from '../../src/index.ts'
import { formatKey, makeKey } from '../../src/vault/keys.ts'
import { everyStore } from './stores.ts'

/** Keys that the Assents of one test share. */
export const testKeys = formatKey(makeKey())

/** An Assent that is closed when the test is over; on a store of its own in memory, unless told otherwise. */
export async function anAssent(options: AssentOptions = {}): Promise<Assent> {
  const assent = await createAssent({ store: 'memory:', keys: testKeys, clocks: { tidy: 0 }, ...options })
  onTestFinished(() => assent.close())
  return assent
}

/** A question that must still be kept; the test fails if it is gone. */
export async function getExisting(assent: Pick<Assent, 'get'>, id: ElicitationId): Promise<Elicitation> {
  return mustExist(await assent.get(id), id)
}

/** Every kind of store, as a way to get an Assent on a fresh one. */
export const everyAssent = Object.entries(everyStore).map(([name, fresh]) => ({
  name,
  assent: async (options: AssentOptions = {}) => anAssent({ ...options, store: (await fresh()).store }),
}))
