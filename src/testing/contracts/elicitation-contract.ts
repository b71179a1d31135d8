import { deepEqual, equal } from 'node:assert/strict'
import type { Elicitation, ElicitationId, ElicitationState } from '../../elicitation/elicitation.ts'
import type { ElicitationStore } from '../../elicitation/store.ts'
import { requesterKey } from '../../participant/requester.ts'
import { alice, anElicitation, answered, bob, limitedTo, withState } from '../elicitations.ts'
import type { ContractTest } from './contract-test.ts'

const many = 1_000
const at = new Date('2026-01-01T00:01:00.000Z')
const ids = (elicitations: readonly Elicitation[]) => elicitations.map(({ id }) => id)
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

async function added(store: ElicitationStore, over: Partial<Elicitation> = {}): Promise<Elicitation> {
  const elicitation = anElicitation(over)
  deepEqual(await store.add(elicitation, limitedTo(many)), { kind: 'added' })
  return elicitation
}

async function saved(store: ElicitationStore, next: Elicitation): Promise<Elicitation> {
  equal(await store.saveIfUnchanged(next), true)
  return next
}

const contractTest = (name: string, run: (store: ElicitationStore) => Promise<void>): ContractTest => ({
  name: `elicitations: ${name}`,
  run: ({ store }) => run(store.elicitations),
})

/** Text that a careless store damages. */
const text = 'é 𝄞 "\' \\ %s $1 ? :a'
const awkward = 'é 𝄞 \u0000 \ud800 "\' \\ \n\r\t %s $1 ? :a \u202e'

const everyState: ElicitationState[] = [
  {
    kind: 'answered',
    answer: { action: 'accept', content: { a: awkward, n: -0.5, b: false, l: ['x', ''] } },
    by: { participant: bob, via: 'inbox' },
    at,
  },
  { kind: 'answered', answer: { action: 'accept' }, by: { participant: alice, via: 'client', client: awkward }, at },
  {
    kind: 'answered',
    answer: { action: 'accept', sealed: { key: 'k1', box: 'v1.abc' } },
    by: { participant: alice, via: 'page' },
    at,
  },
  { kind: 'answered', answer: { action: 'decline', reason: awkward }, by: { participant: alice, via: 'page' }, at },
  { kind: 'answered', answer: { action: 'cancel' }, by: { participant: alice, via: 'terminal' }, at },
  { kind: 'expired', at },
  { kind: 'failed', reason: awkward, at },
  { kind: 'withdrawn', reason: awkward, at },
]

export const elicitationContract: readonly ContractTest[] = [
  contractTest('an elicitation is returned exactly as stored, in every state', async (store) => {
    for (const state of everyState) {
      const asked = await added(store, {
        question: {
          mode: 'url',
          message: awkward,
          url: 'https://example.com/ä',
          page: 'api-key',
          schema: { type: 'object', properties: { [awkward]: { type: 'boolean', default: false } } },
        },
        purpose: 'secret',
        type: 'api-key-stripe',
        origin: { server: awkward },
        requester: { participant: alice, client: text, clientName: awkward, agents: [text, 'b'] },
        answerers: { anyOf: [alice, 'group:ops'], through: 'page' },
        metadata: { a: null, deep: [{ [awkward]: 1e-7 }], empty: {} },
        createdAt: new Date(1),
        expiresAt: new Date('2199-12-31T23:59:59.999Z'),
      })
      deepEqual(await store.get(asked.id), asked)
      const settled = await saved(store, withState(asked, state))
      deepEqual(await store.get(asked.id), settled)
    }
  }),
  contractTest(
    'an open question keeps that its asker left, is listed as before, and loses the mark again',
    async (store) => {
      const asked = await added(store, { identity: 'the same' })
      const left = await saved(store, withState(asked, { kind: 'open', askerLeftAt: at }))
      deepEqual(await store.get(asked.id), left)
      deepEqual(await store.listOpen([alice], many), [left])
      const again = await store.add(anElicitation({ identity: 'the same' }), limitedTo(many))
      deepEqual(again, { kind: 'joined', elicitation: left })
      const back = await saved(store, withState(left, { kind: 'open' }))
      deepEqual(await store.get(asked.id), back)
      deepEqual(await store.get((await saved(store, answered(back))).id), answered(back))
    },
  ),
  contractTest('an unknown elicitation is absent', async (store) => {
    equal(await store.get('nothing' as ElicitationId), undefined)
    equal(await store.latestAnswered(alice, 'none'), undefined)
    equal(await store.saveIfUnchanged(answered(anElicitation())), false)
    deepEqual(await store.listOpen([alice], many), [])
  }),
  contractTest('a save from an old version changes nothing', async (store) => {
    const asked = await added(store)
    const first = await saved(store, answered(asked))
    equal(await store.saveIfUnchanged(withState(asked, { kind: 'withdrawn', reason: 'late', at })), false)
    equal(await store.saveIfUnchanged({ ...first, version: 9 }), false)
    deepEqual(await store.get(asked.id), first)
  }),
  contractTest('of two hundred concurrent saves, exactly one succeeds', async (store) => {
    const asked = await added(store)
    const tries = times(200, (index) => answered(asked, { action: 'accept', content: { branch: `${index}` } }))
    const won = await Promise.all(tries.map((next) => store.saveIfUnchanged(next)))
    equal(won.filter(Boolean).length, 1)
    deepEqual(await store.get(asked.id), tries[won.indexOf(true)])
  }),
  contractTest('of fifty concurrent identical questions, one is added and the others join it', async (store) => {
    const same = times(50, () => anElicitation({ identity: 'the same' }))
    const added = await Promise.all(same.map((one) => store.add(one, limitedTo(many))))
    const first = same[added.findIndex(({ kind }) => kind === 'added')]
    const others = added.filter(({ kind }) => kind !== 'added')
    equal(others.length, 49)
    for (const other of others) deepEqual(other, { kind: 'joined', elicitation: first })
  }),
  contractTest('a settled question is not joined', async (store) => {
    await saved(store, answered(await added(store, { identity: 'the same' })))
    await added(store, { identity: 'the same' })
  }),
  contractTest(
    'a requester has a limited number of open questions; settled ones and those of others do not count',
    async (store) => {
      const [first] = [await added(store), await added(store)]
      const limits = { requester: 2, participant: many }
      deepEqual(await store.add(anElicitation(), limits), { kind: 'full', of: 'requester' })
      deepEqual(await store.add(anElicitation({ requester: { participant: alice, client: 'another' } }), limits), {
        kind: 'added',
      })
      deepEqual(await store.add(anElicitation({ requester: { participant: bob, client: 'claude-code' } }), limits), {
        kind: 'added',
      })
      await saved(store, answered(first))
      deepEqual(await store.add(anElicitation(), limits), { kind: 'added' })
    },
  ),
  contractTest(
    'all requesters of a participant have a limited number of open questions together; settled ones do not count',
    async (store) => {
      const by = (participant: typeof alice, client: string) => anElicitation({ requester: { participant, client } })
      const limits = { requester: 2, participant: 3 }
      const first = by(alice, 'one')
      for (const asked of [first, by(alice, 'one'), by(alice, 'two')]) {
        deepEqual(await store.add(asked, limits), { kind: 'added' })
      }
      deepEqual(await store.add(by(alice, 'one'), limits), { kind: 'full', of: 'requester' })
      deepEqual(await store.add(by(alice, 'three'), limits), { kind: 'full', of: 'participant' })
      deepEqual(await store.add(by(bob, 'three'), limits), { kind: 'added' })
      await saved(store, answered(first))
      deepEqual(await store.add(by(alice, 'three'), limits), { kind: 'added' })
    },
  ),
  contractTest(
    'of fifty concurrent questions of one participant, no more are added than the limit allows',
    async (store) => {
      const asked = times(50, (index) => anElicitation({ requester: { participant: alice, client: `${index}` } }))
      const ends = await Promise.all(asked.map((one) => store.add(one, { requester: many, participant: 5 })))
      equal(ends.filter(({ kind }) => kind === 'added').length, 5)
      equal(ends.filter(({ kind }) => kind === 'full').length, 45)
    },
  ),
  contractTest('of fifty concurrent questions, no more are added than the limit allows', async (store) => {
    const added = await Promise.all(times(50, () => store.add(anElicitation(), limitedTo(5))))
    equal(added.filter(({ kind }) => kind === 'added').length, 5)
    equal(added.filter(({ kind }) => kind === 'full').length, 45)
  }),
  contractTest('an identical question joins also when the limit is reached', async (store) => {
    const first = await added(store, { identity: 'the same' })
    deepEqual(await store.add(anElicitation({ identity: 'the same' }), limitedTo(1)), {
      kind: 'joined',
      elicitation: first,
    })
  }),
  contractTest(
    'open questions are counted by requester, the one that asked last first, and listed for each, page by page',
    async (store) => {
      const over = new Date(Date.UTC(2026, 0, 1))
      const by = (client: string, more: Partial<Elicitation> = {}) =>
        added(store, { requester: { participant: alice, client }, ...more })
      const [a1, b1, a2] = [await by('a'), await by('b'), await by('a')]
      const c1 = await by('c')
      await by('a', { expiresAt: over })
      const theirs = await added(store, {
        requester: { participant: bob, client: 'd' },
        answerers: { anyOf: [bob, 'group:ops'], through: 'page' },
      })
      const a = requesterKey(a1.requester)
      const requesters = [
        { requester: requesterKey(c1.requester), count: 1, first: c1 },
        { requester: a, count: 2, first: a2 },
        { requester: requesterKey(b1.requester), count: 1, first: b1 },
      ]
      deepEqual(await store.listRequesters([alice], over, many), { total: 4, requesters })
      deepEqual(await store.listRequesters([alice], over, 1), { total: 4, requesters: requesters.slice(0, 1) })
      deepEqual(await store.listRequesters([alice], over, many, c1.id), { total: 4, requesters: requesters.slice(1) })
      deepEqual(await store.listRequesters([alice], over, many, b1.id), { total: 4, requesters: [] })
      deepEqual(ids(await store.listOpenOf([alice], a, over, many)), ids([a2, a1]))
      deepEqual(ids(await store.listOpenOf([alice], a, over, 1)), ids([a2]))
      deepEqual(ids(await store.listOpenOf([alice], a, over, many, a2.id)), ids([a1]))
      deepEqual(ids(await store.listOpenOf([alice], 'unknown', over, many)), [])
      // Nothing of others, and each question once for somebody who may answer it in two ways.
      deepEqual(ids(await store.listOpenOf([bob], a, over, many)), [])
      const twice = [{ requester: requesterKey(theirs.requester), count: 1, first: theirs }]
      deepEqual(await store.listRequesters([bob, 'group:ops'], over, many), { total: 1, requesters: twice })

      await saved(store, answered(a2))
      const left = [{ requester: a, count: 1, first: a1 }]
      deepEqual((await store.listRequesters([alice], over, many, b1.id)).requesters, left)
      deepEqual(ids(await store.listOpenOf([alice], a, over, many, a2.id)), ids([a1]))
    },
  ),
  contractTest(
    'open questions are listed most urgent first, page by page, also if one of a page is settled meanwhile',
    async (store) => {
      const inMinutes = [5, 2, 9, 2, 7, 1]
      const all: Elicitation[] = []
      for (const minutes of inMinutes) {
        all.push(await added(store, { expiresAt: new Date(Date.UTC(2026, 0, 1, 0, minutes)) }))
      }
      const theirs = await added(store, {
        requester: { participant: bob, client: 'claude-code' },
        expiresAt: new Date(Date.UTC(2026, 0, 1, 0, 3)),
      })
      const urgent = [5, 1, 3, 0, 4, 2].map((index) => all[index] as Elicitation)
      deepEqual(ids(await store.listOpen([alice], many)), ids(urgent))
      deepEqual(ids(await store.listAllOpen(many)), ids([...urgent.slice(0, 3), theirs, ...urgent.slice(3)]))

      const first = await store.listOpen([alice], 2)
      deepEqual(ids(first), ids(urgent.slice(0, 2)))
      await saved(store, answered(first[1] as Elicitation))
      deepEqual(ids(await store.listOpen([alice], 3, first[1]?.id)), ids(urgent.slice(2, 5)))
      deepEqual(ids(await store.listOpen([alice], 3, urgent[5]?.id)), [])
      deepEqual(ids(await store.listAllOpen(2, first[1]?.id)), ids([urgent[2] as Elicitation, theirs]))
      deepEqual(ids(await store.listAllOpen(many, theirs.id)), ids(urgent.slice(3)))
    },
  ),
  contractTest('open questions that expire together are listed oldest first, each once', async (store) => {
    const all: Elicitation[] = []
    for (let n = 0; n < 7; n++)
      all.push(await added(store, { answerers: { anyOf: [alice, 'group:ops'], through: 'client' } }))
    const names = [alice, 'group:ops', 'group:none'] as const
    const first = await store.listOpen(names, 3)
    deepEqual(ids(first), ids(all.slice(0, 3)))
    // The next page is the same although the last question of this page is settled meanwhile.
    await saved(store, answered(first[2] as Elicitation))
    deepEqual(ids(await store.listOpen(names, 3, first[2]?.id)), ids(all.slice(3, 6)))
    deepEqual(ids(await store.listOpen(names, many)), ids(all.filter((_, index) => index !== 2)))
  }),
  contractTest('a list has only the questions of the given answerers', async (store) => {
    const [mine, theirs] = [
      await added(store),
      await added(store, { requester: { participant: bob, client: 'claude-code' }, type: 'x' }),
    ]
    const approver = await added(store, { answerers: { anyOf: [bob, 'group:ops'], through: 'page' }, type: 'x' })
    deepEqual(ids(await store.listOpen([alice], many)), ids([mine]))
    deepEqual(ids(await store.listOpen([bob], many)), ids([theirs, approver]))
    deepEqual(ids(await store.listOpen(['group:ops'], many)), ids([approver]))
    await saved(store, answered(theirs))
    equal(await store.latestAnswered(alice, 'x'), undefined)
  }),
  contractTest('due questions are listed soonest first, and only open ones', async (store) => {
    const minute = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes))
    const [third, first, second] = [
      await added(store, { expiresAt: minute(3) }),
      await added(store, { expiresAt: minute(1) }),
      await added(store, { expiresAt: minute(2) }),
    ]
    await saved(store, answered(await added(store, { expiresAt: minute(0) })))
    deepEqual(ids(await store.listDue(minute(2), many)), ids([first, second]))
    deepEqual(ids(await store.listDue(minute(9), 2)), ids([first, second]))
    deepEqual(ids(await store.listDue(minute(9), many)), ids([first, second, third]))
  }),
  contractTest('the latest answer is the one settled last, whatever questions are open', async (store) => {
    const type = 'api-key-stripe'
    const [older, newer] = [await added(store, { type }), await added(store, { type })]
    await saved(store, answered(newer))
    // Asked earlier but settled later, by a clock that is behind.
    const last = await saved(store, answered(older, { action: 'decline' }, new Date('2025-01-01')))
    await added(store, { type })
    await saved(store, withState(await added(store, { type }), { kind: 'expired', at }))
    await saved(store, withState(await added(store, { type }), { kind: 'withdrawn', reason: 'no', at }))
    deepEqual(await store.latestAnswered(alice, type), last)
    equal(await store.latestAnswered(alice, 'another'), undefined)
    equal(await store.latestAnswered(bob, type), undefined)
  }),
  contractTest('an expired question stays stored as expired', async (store) => {
    const expired = await saved(store, withState(await added(store), { kind: 'expired', at }))
    deepEqual(await store.get(expired.id), expired)
  }),
  contractTest('answers sealed under other keys are found, and resealing them keeps the order', async (store) => {
    const seal = (key: string) => ({ action: 'accept', sealed: { key, box: 'v1.x' } }) as const
    const type = 'k'
    const first = await saved(store, answered(await added(store, { type }), seal('old')))
    const second = await saved(store, answered(await added(store, { type }), seal('new')))
    await saved(store, answered(await added(store)))
    deepEqual(await store.listSealedExcept('new', many), [first])
    deepEqual((await store.sealingKeys()).sort(), ['new', 'old'])
    await saved(store, answered(first, seal('new')))
    deepEqual(await store.listSealedExcept('new', many), [])
    deepEqual(await store.sealingKeys(), ['new'])
    equal((await store.latestAnswered(alice, type))?.id, second.id)
  }),
  contractTest('deleting old settled questions keeps open ones, recent ones and every latest answer', async (store) => {
    const type = 'api-key-stripe'
    const long = new Date('2025-01-01')
    const open = await added(store, { createdAt: long })
    const recent = await saved(store, answered(await added(store)))
    const replaced = await saved(store, answered(await added(store, { type }), undefined, long))
    const latest = await saved(store, answered(await added(store, { type }), undefined, long))
    const untyped = await saved(store, answered(await added(store), undefined, long))
    const expired = await saved(store, withState(await added(store, { type }), { kind: 'expired', at: long }))
    equal(await store.deleteSettled(at, 2), 2)
    equal(await store.deleteSettled(at, many), 1)
    equal(await store.deleteSettled(at, many), 0)
    for (const { id } of [open, recent, latest]) equal((await store.get(id))?.id, id)
    for (const { id } of [replaced, untyped, expired]) equal(await store.get(id), undefined)
    deepEqual(await store.latestAnswered(alice, type), latest)
  }),
  contractTest(
    'forgetting a participant deletes their questions, and their name from what they answered',
    async (store) => {
      const type = 'x'
      const open = await added(store)
      const settled = await saved(store, answered(await added(store, { type })))
      const bobs = await added(store, {
        requester: { participant: bob, client: 'c' },
        answerers: { anyOf: [alice, bob], through: 'page' },
      })
      await saved(
        store,
        withState(bobs, {
          kind: 'answered',
          answer: { action: 'cancel' },
          by: { participant: alice, via: 'inbox' },
          at,
        }),
      )
      equal(await store.forget(alice), 2)
      equal(await store.get(open.id), undefined)
      equal(await store.get(settled.id), undefined)
      equal(await store.latestAnswered(alice, type), undefined)
      deepEqual(await store.listOpen([alice], many), [])
      const left = await store.get(bobs.id)
      equal(left?.state.kind, 'answered')
      equal(JSON.stringify(left?.state).includes(alice), false)
      // A forgotten participant may ask again.
      await added(store, { identity: open.identity })
    },
  ),
]
