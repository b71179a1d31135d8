import { expect, test } from 'vitest'
import { exportAudit } from '../../src/audit/export.ts'
import { pruneAudit } from '../../src/audit/prune.ts'
import { verifyAudit } from '../../src/audit/verify.ts'
import { memoryAudit } from '../../src/stores/memory/audit.ts'
import { aLog, eventsOf, findingsIn, handClock, key, later, minutes } from '../support/audit/audits.ts'

const count = 2_500
const moment = later(minutes(30))

/** One chain with many old events, on a store that answers without waiting for anything. */
async function longChain() {
  const store = memoryAudit()
  const clock = handClock()
  const log = aLog(store, { clock })
  await Promise.all(Array.from({ length: count }, () => log.record({ kind: 'custom:old' })))
  clock.at = later(minutes(60))
  return { store, log }
}

/** How often the event loop could do something else while this ran. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const turn = () => {
    turns += 1
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isOver = true
  return turns
}

const read = async (lines: AsyncIterable<string>) => {
  for await (const _ of lines);
}

// 2,500 events are five pages and a rest, or three slices.
test.each([
  ['verifying', ({ store }) => verifyAudit({ store, key }), 5],
  ['exporting', ({ store }) => read(exportAudit(store, moment)), 5],
  ['pruning', ({ store, log }) => pruneAudit({ store, key, log, moment }), 8],
] satisfies [string, (chain: Awaited<ReturnType<typeof longChain>>) => Promise<unknown>, number][])(
  '%s a long chain gives way to other work after each page and each slice',
  async (_, work, atLeast) => {
    const chain = await longChain()
    expect(await turnsDuring(() => work(chain))).toBeGreaterThanOrEqual(atLeast)
  },
)

test('a long chain is deleted in slices, and is whole when the process dies between two of them', async () => {
  const { store, log } = await longChain()
  const { prune } = store
  const deleted: number[] = []
  store.prune = async (anchor) => {
    if (deleted.length === 2) throw new Error('The process died.')
    deleted.push(await prune(anchor))
    return deleted.at(-1) as number
  }
  await expect(pruneAudit({ store, key, log, moment })).rejects.toThrow('died')
  expect(deleted).toEqual([1_000, 1_000])
  expect(await findingsIn(store)).toEqual([])

  store.prune = prune
  expect(await pruneAudit({ store, key, log, moment })).toBe(count + 1 - 2_000)
  const [first] = await store.chains()
  expect((await eventsOf(store, first?.chain as never)).map(({ kind }) => kind)).not.toContain('custom:old')
  expect(await findingsIn(store)).toEqual([])
})
