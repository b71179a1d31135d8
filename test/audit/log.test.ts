import { describe, expect, test, vi } from 'vitest'
import { headsIn } from '../../src/audit/chain/chain.ts'
import { digestKept } from '../../src/audit/chain/mac.ts'
import type { AuditStore } from '../../src/audit/store.ts'
import { BadArgument } from '../../src/base/errors.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { memoryAudit } from '../../src/stores/memory/audit.ts'
import {
  aLog,
  alice,
  bob,
  eventsOf,
  findingsIn,
  handClock,
  later,
  minutes,
  rowsOf,
  slowAudit,
  start,
} from '../support/audit/audits.ts'

const kinds = async (store: AuditStore) => (await rowsOf(store)).events.map(({ kind }) => kind)
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

describe('recording', () => {
  test('opens a chain with the first event, and chains each to the one before', async () => {
    const store = memoryAudit()
    const log = aLog(store)
    expect(await store.chains()).toEqual([])

    await log.record({
      kind: 'question-asked',
      who: alice,
      about: 'q1',
      data: { mode: 'form' },
      keep: { path: '/etc' },
    })
    await log.record({ kind: 'question-expired' })
    const [opened, asked, expired] = (await rowsOf(store)).events
    expect(opened).toEqual({
      chain: expect.stringMatching(/^[\w-]{22}$/),
      seq: 1,
      at: start,
      kind: 'chain-opened',
      data: { heads: [] },
      prev: '',
      mac: opened?.mac,
    })
    expect(asked).toEqual({
      chain: opened?.chain,
      seq: 2,
      at: start,
      kind: 'question-asked',
      who: expect.stringMatching(/^p-[\w-]{22}$/),
      about: 'q1',
      data: { mode: 'form' },
      kept: { salt: expect.stringMatching(/^[\w-]{22}$/), value: { path: '/etc' } },
      keptDigest: asked?.kept && digestKept(asked.kept),
      prev: opened?.mac,
      mac: asked?.mac,
    })
    expect(expired).toMatchObject({ seq: 3, kind: 'question-expired', data: {}, prev: asked?.mac })
    expect(await findingsIn(store)).toEqual([])
  })

  test('a thousand at once are a few writes, in the order of the calls', async () => {
    const store = slowAudit()
    const append = vi.spyOn(store, 'append')
    const log = aLog(store)
    await Promise.all(times(1000, (index) => log.record({ kind: 'custom:called', who: alice, data: { index } })))

    const written = (await rowsOf(store)).events.filter(({ kind }) => kind === 'custom:called')
    expect(written.map(({ data }) => data.index)).toEqual(times(1000, (index) => index))
    expect(append).toHaveBeenCalledTimes(2)
    expect(await findingsIn(store)).toEqual([])
  })

  test('what comes while a write is under way waits for it, and goes into the next together', async () => {
    const store = slowAudit()
    const { append } = store
    const sizes: number[] = []
    store.append = async (events) => {
      sizes.push(events.length)
      await new Promise(setImmediate)
      await append(events)
    }
    const log = aLog(store)
    const first = log.record({ kind: 'custom:first' })
    while (sizes.length === 0) await Promise.resolve()
    const rest = times(3, (index) => log.record({ kind: 'custom:later', data: { index } }))
    let isKept = false
    void first.then(() => {
      isKept = true
    })
    await Promise.resolve()
    expect(isKept).toBe(false)

    await Promise.all([first, ...rest])
    expect(sizes).toEqual([2, 3])
  })

  test('what may be kept soon is kept with what is recorded next, in the order of the calls', async () => {
    const store = slowAudit()
    const append = vi.spyOn(store, 'append')
    const log = aLog(store)
    await log.record({ kind: 'custom:first' })
    const soon = [log.recordSoon({ kind: 'custom:second' }), log.recordSoon({ kind: 'custom:third', who: alice })]
    await log.record({ kind: 'custom:fourth' })
    await Promise.all(soon)
    expect(await kinds(store)).toEqual([
      'chain-opened',
      'custom:first',
      'custom:second',
      'custom:third',
      'custom:fourth',
    ])
    expect(append).toHaveBeenCalledTimes(2)
    expect(await findingsIn(store)).toEqual([])
  })

  test('what may be kept soon does not wait for long where nothing else is recorded', async () => {
    const store = memoryAudit()
    const log = aLog(store)
    await log.recordSoon({ kind: 'custom:alone' })
    expect(await kinds(store)).toEqual(['chain-opened', 'custom:alone'])
    await log.recordSoon({ kind: 'custom:again' })
    expect(await kinds(store)).toEqual(['chain-opened', 'custom:alone', 'custom:again'])
  })

  test('what may be kept soon and comes while a write is under way is kept too', async () => {
    const store = memoryAudit()
    const log = aLog(store)
    const first = log.record({ kind: 'custom:first' })
    await Promise.resolve()
    await Promise.resolve()
    const soon = log.recordSoon({ kind: 'custom:meanwhile' })
    await Promise.all([first, soon])
    expect(await kinds(store)).toEqual(['chain-opened', 'custom:first', 'custom:meanwhile'])
  })

  test('what may be kept soon is kept by closing, refused after it, and told when it cannot be kept', async () => {
    const store = slowAudit()
    const log = aLog(store)
    const soon = log.recordSoon({ kind: 'custom:last' })
    await log.close()
    await soon
    expect(await kinds(store)).toEqual(['chain-opened', 'custom:last', 'chain-closed'])
    await expect(log.recordSoon({ kind: 'custom:late' })).rejects.toThrow(BadArgument)
    store.append = async () => {
      throw new Error('full')
    }
    await expect(aLog(store).recordSoon({ kind: 'custom:lost' })).rejects.toThrow('full')
  })

  test('takes the entry as it was when it was handed in', async () => {
    const store = memoryAudit()
    const data: JsonObject = { count: 1, gone: undefined }
    const recorded = aLog(store).record({ kind: 'custom:called', data })
    data.count = 2
    await recorded
    expect((await rowsOf(store)).events[1]?.data).toEqual({ count: 1 })
  })

  test('an entry that is too large or no JSON is refused, and harms no other', async () => {
    const store = memoryAudit()
    const log = aLog(store)
    const fits = log.record({ kind: 'custom:fits', keep: { text: 'x'.repeat(65_000) } })
    await expect(
      log.record({ kind: 'custom:large', data: { a: 'é'.repeat(16_384) }, keep: { b: 'x'.repeat(32_768) } }),
    ).rejects.toMatchObject({ code: 'bad_argument', message: expect.stringContaining('may hold 65536 bytes') })
    await expect(log.record({ kind: 'custom:odd', data: { when: new Date() as never } })).rejects.toThrow(BadArgument)
    await expect(log.record({ kind: 'custom:half', about: '\ud800' })).rejects.toThrow(BadArgument)
    await fits
    expect(await kinds(store)).toEqual(['chain-opened', 'custom:fits'])
    await aLog(store, { entryBytes: 13 }).record({ kind: 'key-dropped' })
    await expect(aLog(store, { entryBytes: 12 }).record({ kind: 'key-dropped' })).rejects.toThrow(BadArgument)
  })
})

describe('the ends of other chains', () => {
  test('are told when a chain opens, and again when time has passed and they have moved', async () => {
    const store = memoryAudit()
    const clock = handClock()
    const [first, second] = [aLog(store, { clock }), aLog(store, { clock })]
    await first.record({ kind: 'custom:a' })
    await second.record({ kind: 'custom:b' })
    const [a, b] = (await store.chains()).map(({ chain }) => chain)
    const told = async () => (await rowsOf(store)).events.filter(({ chain }) => chain === b).map(headsIn)
    expect(await told()).toMatchObject([[{ chain: a, seq: 2 }], []])

    clock.at = later(minutes(5) - 1)
    await first.record({ kind: 'custom:a' })
    await second.record({ kind: 'custom:b' })
    expect(await told()).toHaveLength(3)

    clock.at = later(minutes(5))
    await second.record({ kind: 'custom:b' })
    expect((await told()).slice(3)).toMatchObject([[{ chain: a, seq: 3 }], []])

    // Nothing moved since, so there is nothing to tell.
    clock.at = later(minutes(10))
    await second.record({ kind: 'custom:b' })
    expect((await told()).slice(5)).toEqual([[]])

    // A clock that was set back does not silence them.
    clock.at = later(minutes(-60))
    await first.record({ kind: 'custom:a' })
    await second.record({ kind: 'custom:b' })
    expect((await told()).slice(6)).toMatchObject([[{ chain: a, seq: 5 }], []])
    expect(await findingsIn(store)).toEqual([])
  })
})

describe('a write that fails', () => {
  /** A store whose next append fails, before or after it wrote. */
  function failing(store: AuditStore, when: 'before' | 'after') {
    const { append } = store
    const lost = new Error('the connection was lost')
    store.append = async (events) => {
      store.append = append
      if (when === 'after') await append(events)
      throw lost
    }
    return lost
  }

  test.each([
    ['before', ['chain-opened', 'custom:fine', 'chain-opened', 'custom:queued', 'custom:next'], 2],
    [
      'after',
      ['chain-opened', 'custom:fine', 'custom:failed', 'custom:failed', 'chain-opened', 'custom:queued', 'custom:next'],
      4,
    ],
  ] as const)(
    'rejects its batch, %s it wrote; the rest goes on in a new chain that tells how far it got',
    async (when, expected, end) => {
      const store = slowAudit()
      await aLog(store).record({ kind: 'custom:elsewhere' })
      const log = aLog(store)
      await log.record({ kind: 'custom:fine' })
      const [other, old] = await store.chains()

      const lost = failing(store, when)
      const { append } = store
      let queued: Promise<void> | undefined
      store.append = async (events) => {
        queued = log.record({ kind: 'custom:queued' })
        await append(events)
      }
      const results = await Promise.allSettled([
        log.record({ kind: 'custom:failed' }),
        log.record({ kind: 'custom:failed' }),
      ])
      expect(results).toEqual(times(2, () => ({ status: 'rejected', reason: lost })))
      await queued
      await log.record({ kind: 'custom:next' })

      expect((await kinds(store)).slice(2)).toEqual(expected)
      const [, , renewed] = await store.chains()
      const [opened] = renewed ? await eventsOf(store, renewed.chain) : []
      expect(opened && headsIn(opened)).toMatchObject([
        { chain: old?.chain, seq: end },
        { chain: other?.chain, seq: 2 },
      ])
      expect(await findingsIn(store)).toEqual([])
      await log.close()
      expect((await kinds(store)).at(-1)).toBe('chain-closed')
    },
  )

  test('that never reached the store leaves the chain as it is', async () => {
    const store = memoryAudit()
    const log = aLog(store)
    await log.record({ kind: 'custom:fine' })
    vi.spyOn(store, 'pseudonymFor').mockRejectedValueOnce(new Error('lost'))
    await expect(log.record({ kind: 'custom:failed', who: alice })).rejects.toThrow('lost')
    await log.record({ kind: 'custom:next', who: alice })
    expect(await kinds(store)).toEqual(['chain-opened', 'custom:fine', 'custom:next'])
  })
})

describe('pseudonyms', () => {
  test('are the same in every process, and asked for once', async () => {
    const store = memoryAudit()
    const ask = vi.spyOn(store, 'pseudonymFor')
    const [first, second] = [aLog(store), aLog(store)]
    await Promise.all(times(9, () => first.record({ kind: 'custom:called', who: alice })))
    await first.record({ kind: 'custom:called', who: alice })
    expect(ask).toHaveBeenCalledTimes(1)
    await second.record({ kind: 'custom:called', who: alice })
    await second.record({ kind: 'custom:called', who: bob })
    const names = (await rowsOf(store)).events.flatMap(({ who }) => who ?? [])
    expect(new Set(names.slice(0, 11))).toEqual(new Set([await store.findPseudonym(alice)]))
    expect(names[11]).toBe(await store.findPseudonym(bob))
    expect(names.join()).not.toContain('alice')
  })

  test('are asked for again after a minute, and at once when something is kept: another process may forget', async () => {
    const store = memoryAudit()
    const clock = handClock()
    const log = aLog(store, { clock })
    const whoNow = async (keep?: JsonObject) => {
      await log.record({ kind: 'custom:called', who: alice, ...(keep && { keep }) })
      return (await rowsOf(store)).events.at(-1)?.who
    }
    const first = await whoNow()
    await store.deletePseudonym(alice)
    clock.at = later(59_999)
    expect(await whoNow()).toBe(first)
    clock.at = later(60_000)
    const second = await whoNow()
    expect(second).not.toBe(first)

    await store.deletePseudonym(alice)
    const third = await whoNow({ path: '/etc' })
    expect(third).not.toBe(second)
    expect(await whoNow()).toBe(third)

    await store.deletePseudonym(alice)
    await Promise.all([
      log.record({ kind: 'custom:called', who: alice, keep: {} }),
      log.record({ kind: 'custom:called', who: alice }),
    ])
    const [fourth, same] = (await rowsOf(store)).events.slice(-2)
    expect(fourth?.who).not.toBe(third)
    expect(same?.who).toBe(fourth?.who)
  })

  test('of the ten thousand last seen are remembered, of others not', async () => {
    const store = memoryAudit()
    const ask = vi.spyOn(store, 'pseudonymFor')
    const log = aLog(store)
    const someone = (index: number) => `${index}@https://login.example.com` as typeof alice
    await Promise.all(times(10_000, (index) => log.record({ kind: 'custom:called', who: someone(index) })))
    await log.record({ kind: 'custom:called', who: someone(0) })
    expect(ask).toHaveBeenCalledTimes(10_000)
    await log.record({ kind: 'custom:called', who: someone(10_000) })
    await log.record({ kind: 'custom:called', who: someone(0) })
    expect(ask).toHaveBeenCalledTimes(10_001)
    await log.record({ kind: 'custom:called', who: someone(1) })
    expect(ask).toHaveBeenCalledTimes(10_002)
  })
})

describe('closing', () => {
  test('writes everything, says so once, and refuses what comes after', async () => {
    const store = memoryAudit()
    const log = aLog(store)
    const recorded = times(3, () => log.record({ kind: 'custom:called' }))
    await Promise.all([log.close(), log.close()])
    await Promise.all(recorded)
    await log.close()
    expect(await kinds(store)).toEqual([
      'chain-opened',
      'custom:called',
      'custom:called',
      'custom:called',
      'chain-closed',
    ])
    await expect(log.record({ kind: 'custom:late' })).rejects.toMatchObject({
      code: 'bad_argument',
      message: 'The audit log is closed.',
    })
    expect(await findingsIn(store)).toEqual([])
  })

  test('a log that wrote nothing leaves nothing', async () => {
    const store = memoryAudit()
    await aLog(store).close()
    expect(await store.chains()).toEqual([])
  })
})
