import { describe, expect, test } from 'vitest'
import { headOf } from '../../src/audit/chain/chain.ts'
import { anchorAt, chainEvent } from '../../src/audit/chain/mac.ts'
import type { Anchor, AuditEvent, ChainId, Head, Pseudonym } from '../../src/audit/event.ts'
import { pruneAudit } from '../../src/audit/prune.ts'
import { verifyAudit } from '../../src/audit/verify.ts'
import { memoryAudit } from '../../src/stores/memory/audit.ts'
import {
  aLog,
  alice,
  eventsOf,
  findingsIn,
  handClock,
  isAt,
  key,
  later,
  minutes,
  otherKey,
  type Rows,
  rowsOf,
  start,
  storeWith,
  tampered,
  threeChains,
} from '../support/audit/audits.ts'

type Chains = Record<'a' | 'b' | 'c', ChainId>

const without =
  (chain: ChainId, ...seqs: number[]) =>
  ({ events }: Rows) => ({ events: events.filter((event) => event.chain !== chain || !seqs.includes(event.seq)) })

const change =
  (chain: ChainId, seq: number, over: Partial<AuditEvent>) =>
  ({ events }: Rows) => ({ events: events.map((event) => (isAt(chain, seq)(event) ? { ...event, ...over } : event)) })

const find = ({ events }: Rows, chain: ChainId, seq: number) => events.find(isAt(chain, seq)) as AuditEvent

test('an audit that nobody touched is clean, and says where its chains end', async () => {
  const { store, a, b, c } = await threeChains()
  const report = await verifyAudit({ store, key })
  expect(report).toMatchObject({ chains: 3, events: 18, found: 0, findings: [] })
  expect(report.heads).toMatchObject([
    { chain: a, seq: 8 },
    { chain: b, seq: 8 },
    { chain: c, seq: 2 },
  ])
  expect(await findingsIn(store, report.heads)).toEqual([])
  expect(await verifyAudit({ store: memoryAudit(), key })).toEqual({
    chains: 0,
    events: 0,
    found: 0,
    findings: [],
    heads: [],
  })
})

describe('a changed event is found, there and nowhere else', () => {
  const changes: Partial<AuditEvent>[] = [
    { at: later(1) },
    { at: new Date(Number.NaN) },
    { kind: 'declined' },
    { who: 'p-other' as Pseudonym },
    { about: 'other' },
    { data: { turn: 99 } },
    { data: { half: '\ud800' } },
    { kept: { salt: 'other', value: { path: '/a/1' } } },
    { kept: { salt: 'other', value: { path: '/etc' } } },
    { keptDigest: 'other' },
    { prev: 'other' },
    { mac: 'other' },
    { mac: '' },
  ]
  const places = [2, 5, 8]
  test.each(changes.flatMap((over) => places.map((seq) => ({ over, seq }))))('$over at $seq', async ({ over, seq }) => {
    const { store, a } = await threeChains()
    expect(await findingsIn(await tampered(store, change(a, seq, over)))).toEqual([
      { chain: a, seq, problem: 'changed' },
    ])
  })

  test('a field that was taken away, or put in', async () => {
    const { store, a, c } = await threeChains()
    for (const field of ['who', 'about', 'keptDigest'] as const) {
      const changed = await tampered(store, ({ events }) => ({
        events: events.map((event) => {
          if (!isAt(a, 3)(event)) return event
          const { [field]: gone, ...rest } = event
          return rest
        }),
      }))
      expect(await findingsIn(changed), field).toEqual([{ chain: a, seq: 3, problem: 'changed' }])
    }
    const kept = { kept: { salt: 's', value: {} } }
    expect(await findingsIn(await tampered(store, change(c, 2, kept)))).toEqual([
      { chain: c, seq: 2, problem: 'changed' },
    ])
  })

  test('the first event of a chain, though its heads are then no testimony', async () => {
    const { store, c } = await threeChains()
    expect(await findingsIn(await tampered(store, change(c, 1, { data: { heads: [] } })))).toEqual([
      { chain: c, seq: 1, problem: 'changed' },
    ])
  })

  test('all of them, if it is verified with another key: counted, and the first thousand listed', async () => {
    const store = memoryAudit()
    const log = aLog(store)
    await Promise.all(Array.from({ length: 1_500 }, () => log.record({ kind: 'custom:called' })))
    const report = await verifyAudit({ store, key: otherKey })
    expect(report).toMatchObject({ events: 1_501, found: 1_501 })
    expect(report.findings).toHaveLength(1_000)
    expect(new Set(report.findings.map(({ problem }) => problem))).toEqual(new Set(['changed']))
  })
})

describe('what someone did without the key is found at its place', () => {
  const cases: [string, (rows: Rows, chains: Chains) => Partial<Rows>, [keyof Chains, number, string][]][] = [
    ['one event deleted', (rows, { a }) => without(a, 4)(rows), [['a', 4, 'missing']]],
    ['several deleted', (rows, { a }) => without(a, 4, 5, 6)(rows), [['a', 4, 'missing']]],
    [
      'deleted here and there',
      (rows, { a, b }) => ({ events: without(b, 6)({ ...rows, ...without(a, 3, 6, 7)(rows) }).events }),
      [
        ['a', 3, 'missing'],
        ['a', 6, 'missing'],
        ['b', 6, 'missing'],
      ],
    ],
    ['the first deleted', (rows, { a }) => without(a, 1)(rows), [['a', 1, 'missing']]],
    ['the last deleted', (rows, { a }) => without(a, 8)(rows), [['a', 8, 'cut']]],
    ['the tail deleted', (rows, { a }) => without(a, 5, 6, 7, 8)(rows), [['a', 5, 'cut']]],
    ['a whole chain deleted', (rows, { a }) => without(a, 1, 2, 3, 4, 5, 6, 7, 8)(rows), [['a', 1, 'missing-chain']]],
    [
      'a whole chain deleted, and an event of another',
      (rows, { a, b }) => ({ events: without(b, 4)(rows).events.filter(({ chain }) => chain !== a) }),
      [
        ['b', 4, 'missing'],
        ['a', 1, 'missing-chain'],
      ],
    ],
    [
      'two swapped',
      (rows, { a }) => ({
        events: rows.events.map((event) =>
          isAt(a, 3)(event) ? { ...event, seq: 6 } : isAt(a, 6)(event) ? { ...event, seq: 3 } : event,
        ),
      }),
      [
        ['a', 3, 'moved'],
        ['a', 6, 'moved'],
      ],
    ],
    [
      'the last two swapped',
      (rows, { a }) => ({
        events: rows.events.map((event) =>
          isAt(a, 7)(event) ? { ...event, seq: 8 } : isAt(a, 8)(event) ? { ...event, seq: 7 } : event,
        ),
      }),
      [
        ['a', 7, 'moved'],
        ['a', 8, 'moved'],
      ],
    ],
    [
      'two swapped between chains',
      (rows, { a, b }) => ({
        events: rows.events.map((event) =>
          isAt(a, 1)(event) ? { ...event, chain: b } : isAt(b, 1)(event) ? { ...event, chain: a } : event,
        ),
      }),
      [
        ['b', 1, 'moved'],
        ['a', 1, 'moved'],
      ],
    ],
    [
      'one moved to the end of another chain',
      (rows, { a, b }) => change(a, 4, { chain: b, seq: 9 })(rows),
      [
        ['a', 4, 'missing'],
        ['b', 9, 'moved'],
      ],
    ],
    [
      'the last moved far beyond the end',
      (rows, { a }) => change(a, 8, { seq: 20 })(rows),
      [
        ['a', 8, 'cut'],
        ['a', 20, 'moved'],
      ],
    ],
    [
      'one put in again at another place',
      (rows, { a }) => ({ events: [...rows.events, { ...find(rows, a, 4), seq: 9 }] }),
      [['a', 9, 'moved']],
    ],
    [
      'one put in the place of another',
      (rows, { a }) => ({ events: change(a, 6, { ...find(rows, a, 4), seq: 6 })(rows).events }),
      [['a', 6, 'moved']],
    ],
    [
      'one moved and changed',
      (rows, { a }) => change(a, 4, { seq: 9, kind: 'other' })(rows),
      [
        ['a', 4, 'missing'],
        ['a', 9, 'changed'],
      ],
    ],
    [
      'one deleted beside one changed',
      (rows, { a }) => ({ events: change(a, 5, { kind: 'other' })({ ...rows, ...without(a, 4)(rows) }).events }),
      [
        ['a', 4, 'missing'],
        ['a', 5, 'changed'],
      ],
    ],
    [
      'the last changed and the one before it deleted',
      (rows, { a }) => ({ events: change(a, 8, { kind: 'other' })({ ...rows, ...without(a, 7)(rows) }).events }),
      [
        ['a', 7, 'cut'],
        ['a', 8, 'changed'],
      ],
    ],
    [
      'the last changed, and something put far beyond the end',
      (rows, { a }) => {
        const beyond = { ...find(rows, a, 8), seq: 20, kind: 'y' }
        return { events: [...change(a, 8, { kind: 'x' })(rows).events, beyond] }
      },
      [
        ['a', 8, 'changed'],
        ['a', 20, 'changed'],
      ],
    ],
    [
      'the end of a chain that nobody tells of moved: the one before it still names it',
      (rows, { b, c }) => change(c, 2, { chain: b, seq: 9 })(rows),
      [['b', 9, 'moved']],
    ],
    [
      'one forged with a key of their own',
      (rows, { a }) => ({
        events: [...rows.events, chainEvent(otherKey, find(rows, a, 8), { at: start, kind: 'x', data: {} })],
      }),
      [['a', 9, 'changed']],
    ],
    [
      'what was kept erased, though nobody was forgotten',
      (rows, { a }) => ({
        events: rows.events.map((event) => {
          if (!isAt(a, 3)(event) && !isAt(a, 5)(event)) return event
          const { kept, ...rest } = event
          return rest
        }),
      }),
      [
        ['a', 3, 'erased'],
        ['a', 5, 'erased'],
      ],
    ],
    [
      'an anchor forged',
      (rows, { a }) => ({
        events: without(a, 1, 2, 3)(rows).events,
        anchors: [anchorAt(otherKey, find(rows, a, 3))],
      }),
      [['a', 3, 'changed']],
    ],
    [
      'everything deleted but for a forged anchor',
      (rows, { a }) => ({
        events: rows.events.filter(({ chain }) => chain !== a),
        anchors: [anchorAt(otherKey, find(rows, a, 8))],
      }),
      [['a', 8, 'changed']],
    ],
  ]

  test.each(cases)('%s', async (_name, tamper, expected) => {
    const { store, a, b, c } = await threeChains()
    const chains = { a, b, c }
    const findings = await findingsIn(await tampered(store, (rows) => tamper(rows, chains)))
    expect(findings).toEqual(expected.map(([chain, seq, problem]) => ({ chain: chains[chain], seq, problem })))
  })

  test('what is kept without anyone to forget can never be erased in good faith', async () => {
    const store = memoryAudit()
    await aLog(store).record({ kind: 'custom:called', keep: { path: '/etc' } })
    const [{ chain } = { chain: '' as ChainId }] = await store.chains()
    const erased = await tampered(store, ({ events }) => ({ events: events.map(({ kept, ...rest }) => rest) }))
    expect(await findingsIn(erased)).toEqual([{ chain, seq: 2, problem: 'erased' }])
  })
})

describe('a tail that was cut', () => {
  test('is not found when nobody told of it: without any head, a shorter chain is a whole chain', async () => {
    const { store, c } = await threeChains()
    expect(await findingsIn(await tampered(store, without(c, 2)))).toEqual([])
  })

  test('is found against a head that was kept elsewhere', async () => {
    const { store, c } = await threeChains()
    const { heads } = await verifyAudit({ store, key })
    expect(await findingsIn(await tampered(store, without(c, 2)), heads)).toEqual([
      { chain: c, seq: 2, problem: 'cut' },
    ])
    expect(await findingsIn(await tampered(store, without(c, 1, 2)), heads)).toEqual([
      { chain: c, seq: 1, problem: 'missing-chain' },
    ])
  })

  test('is found where the chain was then continued by another event, by whoever has the key', async () => {
    const { store, a } = await threeChains()
    const forked = await tampered(store, (rows) => ({
      events: [
        ...without(a, 8)(rows).events,
        chainEvent(key, find(rows, a, 7), { at: start, kind: 'other', data: { heads: 'none' } }),
      ],
    }))
    expect(await findingsIn(forked)).toEqual([{ chain: a, seq: 8, problem: 'cut' }])
    const { heads } = await verifyAudit({ store, key })
    expect(await findingsIn(forked, heads)).toEqual([{ chain: a, seq: 8, problem: 'cut' }])
  })

  test('an event that continues another than the one before it is found, even if it has a right mac', async () => {
    const { store, c } = await threeChains()
    const head: Head = { chain: c, seq: 2, mac: 'other' }
    const forked = await tampered(store, ({ events }) => ({
      events: [...events, chainEvent(key, head, { at: start, kind: 'heads', data: {} })],
    }))
    expect(await findingsIn(forked)).toEqual([{ chain: c, seq: 3, problem: 'changed' }])
  })
})

describe('a pruned chain', () => {
  async function prunedAt4() {
    const { store, a, b, c, logs } = await threeChains()
    const before = await rowsOf(store)
    for (const seq of [2, 4]) await store.prune(anchorAt(key, find(before, a, seq)))
    return { store, a, b, c, before, logs, older: anchorAt(key, find(before, a, 2)) }
  }
  const withAnchor = (anchor: Anchor) => () => ({ anchors: [anchor] })

  test('is whole from its anchor on, and heads from before it are covered by it', async () => {
    const { store, a, before } = await prunedAt4()
    expect(
      await findingsIn(
        store,
        [1, 3, 4, 5, 8].map((seq) => headOf(find(before, a, seq))),
      ),
    ).toEqual([])
    expect(await findingsIn(store, [{ ...headOf(find(before, a, 4)), mac: 'other' }])).toEqual([
      { chain: a, seq: 4, problem: 'cut' },
    ])
  })

  test('whose anchor is gone, or an older one, lacks what lies between', async () => {
    const { store, a, older } = await prunedAt4()
    expect(await findingsIn(await tampered(store, () => ({ anchors: [] })))).toEqual([
      { chain: a, seq: 1, problem: 'missing' },
    ])
    expect(await findingsIn(await tampered(store, withAnchor(older)))).toEqual([
      { chain: a, seq: 3, problem: 'missing' },
    ])
  })

  test('whose anchor was changed is found there, and then believed no more than it must be', async () => {
    const { store, a, b, older } = await prunedAt4()
    const [{ anchor } = {}] = await store.chains()
    for (const over of [{ seq: 3 }, { mac: 'other' }, { anchorMac: older.anchorMac }]) {
      const changed = { ...(anchor as Anchor), ...over }
      expect(await findingsIn(await tampered(store, withAnchor(changed)))).toEqual([
        { chain: a, seq: changed.seq, problem: 'changed' },
      ])
    }
    const ofAnother = { ...(anchor as Anchor), chain: b }
    expect(await findingsIn(await tampered(store, withAnchor(ofAnother)))).toEqual(
      expect.arrayContaining([{ chain: b, seq: 4, problem: 'changed' }]),
    )
  })

  test('into which a pruned event was put back, or a forged one, is found', async () => {
    const { store, a, before } = await prunedAt4()
    const back = await tampered(store, ({ events }) => ({ events: [...events, find(before, a, 2)] }))
    expect(await findingsIn(back)).toEqual([{ chain: a, seq: 2, problem: 'restored' }])
    const forged = await tampered(store, ({ events }) => ({
      events: [...events, { ...find(before, a, 2), kind: 'x' }],
    }))
    expect(await findingsIn(forged)).toEqual([{ chain: a, seq: 2, problem: 'changed' }])
  })

  test('whose only event was moved away, and that nobody tells of: its anchor still names it', async () => {
    const { store, b, c, before } = await prunedAt4()
    await store.prune(anchorAt(key, find(before, c, 1)))
    const moved = await tampered(store, change(c, 2, { chain: b, seq: 9 }))
    expect(await findingsIn(moved)).toEqual([{ chain: b, seq: 9, problem: 'moved' }])
  })

  test('that is kept with the anchor of another chain has none', async () => {
    const { store, a, b, c } = await prunedAt4()
    const [{ anchor } = {}] = await store.chains()
    store.chains = async () => [
      { chain: a, anchor: anchor as Anchor },
      { chain: b, anchor: anchor as Anchor },
      { chain: c },
    ]
    expect(await findingsIn(store)).toEqual([{ chain: b, seq: 4, problem: 'changed' }])
  })
})

describe('an audit that goes on while it is verified is clean', () => {
  test('events and chains that are told of before they are read', async () => {
    const { store, logs } = await threeChains()
    const { read } = store
    let reads = 0
    store.read = async (...place) => {
      const page = await read(...place)
      reads += 1
      if (reads === 2) {
        await logs[0].record({ kind: 'custom:called', who: alice })
        await aLog(store).record({ kind: 'custom:called' })
        await aLog(store).record({ kind: 'custom:called' })
      }
      return page
    }
    expect(await findingsIn(store)).toEqual([])
  })

  test('someone forgotten in a chain already read, erased in one not yet read', async () => {
    const { store, a, b, logs } = await threeChains()
    const { read } = store
    const bobs = (await eventsOf(store, b))[1]?.who as Pseudonym
    store.read = async (chain, ...rest) => {
      if (chain === b) {
        store.read = read
        await logs[0].record({ kind: 'forgotten', about: bobs })
        await store.eraseKept(bobs)
      }
      return read(chain, ...rest)
    }
    expect(await findingsIn(store)).toEqual([])
    expect((await eventsOf(store, a)).at(-1)).toMatchObject({ kind: 'forgotten' })
    expect((await eventsOf(store, b))[1]?.kept).toBeUndefined()
  })

  test.each([
    ['the front', 0],
    ['what comes next', 500],
  ])('someone prunes %s of the chain that is being read', async (_name, after) => {
    const store = memoryAudit()
    const clock = handClock()
    const log = aLog(store, { clock })
    await Promise.all(Array.from({ length: 700 }, () => log.record({ kind: 'custom:old' })))
    clock.at = later(minutes(60))
    await log.record({ kind: 'custom:new' })
    const { read } = store
    store.read = async (chain, afterSeq, limit) => {
      if (afterSeq === after) {
        store.read = read
        await pruneAudit({ store, key, log, moment: later(minutes(30)) })
      }
      return read(chain, afterSeq, limit)
    }
    expect(await findingsIn(store)).toEqual([])
  })

  test('someone prunes the whole of a chain that another tells of', async () => {
    const { store, a } = await threeChains()
    const last = (await eventsOf(store, a)).at(-1) as AuditEvent
    const { read } = store
    store.read = async (...place) => {
      store.read = read
      await store.prune(anchorAt(key, last))
      return read(...place)
    }
    expect(await findingsIn(store)).toEqual([])
    expect(await eventsOf(store, a)).toEqual([])
  })
})

test('what is forged while the audit is verified is found', async () => {
  const { store, a, c } = await threeChains()
  const { read } = store
  const [last] = (await eventsOf(store, a)).slice(-1) as [AuditEvent]
  store.read = async (chain, ...rest) => {
    if (chain === c) {
      store.read = read
      await store.append([chainEvent(otherKey, last, { at: start, kind: 'x', data: {} })])
    }
    return read(chain, ...rest)
  }
  expect(await findingsIn(store)).toEqual([{ chain: a, seq: 9, problem: 'changed' }])
})

test('an anchor that is forged while its chain is read covers nothing', async () => {
  const { store, a } = await threeChains()
  const rows = await rowsOf(store)
  const cut = await storeWith({ ...rows, ...without(a, 1, 2, 3)(rows) })
  const { read } = cut
  cut.read = async (...place) => {
    cut.read = read
    await cut.prune(anchorAt(otherKey, find(rows, a, 3)))
    return read(...place)
  }
  expect(await findingsIn(cut)).toEqual([{ chain: a, seq: 1, problem: 'missing' }])
})
