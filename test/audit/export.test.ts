import { describe, expect, test } from 'vitest'
import { anchorAt } from '../../src/audit/chain/mac.ts'
import { exportAudit, readHeads } from '../../src/audit/export.ts'
import { verifyAudit } from '../../src/audit/verify.ts'
import { BadArgument } from '../../src/base/errors.ts'
import { memoryAudit } from '../../src/stores/memory/audit.ts'
import {
  eventsOf,
  findingsIn,
  isAt,
  key,
  later,
  rowsOf,
  start,
  tampered,
  threeChains,
} from '../support/audit/audits.ts'

async function linesOf(store: ReturnType<typeof memoryAudit>): Promise<string[]> {
  const lines: string[] = []
  for await (const line of exportAudit(store, later(0))) lines.push(line)
  return lines
}

describe('an export', () => {
  test('is a line for every event, and last a line with the heads', async () => {
    const { store } = await threeChains()
    const lines = await linesOf(store)
    expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true)
    const { events } = await rowsOf(store)
    expect(lines.slice(0, -1).map((line) => JSON.parse(line))).toEqual(
      events.map((event) => ({ event: { ...event, at: event.at.toISOString() } })),
    )
    const { heads } = await verifyAudit({ store, key })
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ heads, exportedAt: start.toISOString() })
  })

  test('of nothing has no heads', async () => {
    expect(await readHeads(await linesOf(memoryAudit()))).toEqual([])
  })

  test('shows any tail that is cut off after it', async () => {
    const { store, c } = await threeChains()
    const heads = await readHeads(exportAudit(store, later(0)))
    const cut = await tampered(store, ({ events }) => ({ events: events.filter((event) => !isAt(c, 2)(event)) }))
    expect(await findingsIn(cut)).toEqual([])
    expect(await findingsIn(cut, heads)).toEqual([{ chain: c, seq: 2, problem: 'cut' }])
  })

  test('of a wholly pruned chain has its anchor for a head; one that vanishes meanwhile has none', async () => {
    const { store, a } = await threeChains()
    const last = (await eventsOf(store, a)).at(-1)
    if (last) await store.prune(anchorAt(key, last))
    expect((await readHeads(exportAudit(store, later(0))))[0]).toEqual({ chain: a, seq: 8, mac: last?.mac })
    store.chains = async () => [{ chain: a }]
    expect(await readHeads(exportAudit(store, later(0)))).toEqual([])
  })
})

describe('reading heads', () => {
  const head = { chain: 'c', seq: 1, mac: 'm' }

  test('takes the last line that is not blank', async () => {
    expect(await readHeads([`{"event":1}`, JSON.stringify({ heads: [{ ...head, more: 1 }] }), '', ' \n'])).toEqual([
      head,
    ])
  })

  test.each([
    [''],
    ['rubbish'],
    ['[]'],
    ['{"event":{}}'],
    ['{"heads":{}}'],
    ['{"heads":[null]}'],
    [JSON.stringify({ heads: [{ ...head, chain: 1 }] })],
    [JSON.stringify({ heads: [{ ...head, seq: 0 }] })],
    [JSON.stringify({ heads: [{ ...head, seq: '1' }] })],
    [JSON.stringify({ heads: [{ ...head, mac: null }] })],
  ])('refuses %s', async (line) => {
    await expect(readHeads([line])).rejects.toThrow(BadArgument)
  })
})
