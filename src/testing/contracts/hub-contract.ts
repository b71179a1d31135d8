import { deepEqual, equal } from 'node:assert/strict'
import type { HubStore, NewEnvelope } from '../../hub/store.ts'
import type { ContractTest } from './contract-test.ts'

const at = new Date('2026-01-01T00:00:00.000Z')
const space = 'ops'
const many = 1_000

/** Text that a careless store damages. */
const text = '{"é":"𝄞 \\"\' \\\\ %s $1 ? :a \\u0000"}'

const envelope = (id: string, more: Partial<NewEnvelope> = {}): NewEnvelope => ({
  space,
  from: 'agent-a',
  id,
  to: ['agent-b'],
  at,
  digest: `digest of ${id}`,
  text,
  state: 'sent',
  ...more,
})

async function added(store: HubStore, ...envelopes: NewEnvelope[]): Promise<number[]> {
  const ends = await store.append(envelopes.map((one) => ({ envelope: one })))
  return ends.map((end) => (end.kind === 'added' ? end.seq : Number.NaN))
}

const contractTest = (name: string, run: (store: HubStore) => Promise<void>): ContractTest => ({
  name: `hub: ${name}`,
  run: ({ store }) => run(store.hub),
})

export const hubContract: readonly ContractTest[] = [
  contractTest('an envelope is kept exactly, and found by those it names, in the order of its space', async (store) => {
    const first = envelope('1', { to: ['agent-b', 'user-1'], open: { rpc: 'x', agents: ['é'] } })
    const [one = 0, two = 0] = await added(store, first, envelope('2'))
    equal(two > one, true)
    deepEqual(await store.listFor(space, 'user-1', 0, many), [{ ...first, seq: one }])
    deepEqual(
      (await store.listFor(space, 'agent-b', 0, many)).map(({ seq }) => seq),
      [one, two],
    )
    deepEqual(
      (await store.listFor(space, 'agent-b', one, many)).map(({ id }) => id),
      ['2'],
    )
    equal((await store.listFor(space, 'agent-b', 0, 1)).length, 1)
    // Names that only contain the name of another are others.
    deepEqual(await store.listFor(space, 'agent', 0, many), [])
    deepEqual(await store.listFor('other', 'agent-b', 0, many), [])
    deepEqual(await store.get(space, 'agent-a', '2'), { ...envelope('2'), seq: two })
    equal(await store.get(space, 'agent-b', '2'), undefined)
  }),
  contractTest('an id is used once by each sender of a space', async (store) => {
    await added(store, envelope('1'))
    const again = envelope('1', { digest: 'another', text: '{}' })
    deepEqual(await store.append([{ envelope: again }]), [{ kind: 'known', digest: 'digest of 1', state: 'sent' }])
    const others = [envelope('1', { from: 'agent-b' }), envelope('1', { space: 'other' })]
    equal((await added(store, ...others)).every(Number.isFinite), true)
    equal((await store.history(space, many)).length, 2)
  }),
  contractTest('of many who append the same envelope at once, exactly one is kept', async (store) => {
    const ends = await Promise.all(Array.from({ length: 50 }, () => store.append([{ envelope: envelope('1') }])))
    equal(ends.flat().filter(({ kind }) => kind === 'added').length, 1)
  }),
  contractTest('a held envelope is delivered after everything that came before it was released', async (store) => {
    const [held = 0, later = 0] = await added(
      store,
      envelope('held', { state: 'held', open: { rpc: 1 } }),
      envelope('later'),
    )
    deepEqual(
      (await store.listFor(space, 'agent-b', 0, many)).map(({ id }) => id),
      ['later'],
    )
    const key = { space, from: 'agent-a', id: 'held' }
    equal(await store.change(key, { open: { rpc: 1, question: 'q' } }), held)
    const released = (await store.change(key, { state: 'sent', text: '{}', open: { rpc: 1 } })) ?? 0
    equal(released > later, true)
    deepEqual(
      (await store.listFor(space, 'agent-b', 0, many)).map(({ id, text: now }) => [id, now]),
      [
        ['later', text],
        ['held', '{}'],
      ],
    )
    equal(await store.change({ ...key, id: 'never' }, { state: 'sent' }), undefined)
  }),
  contractTest('a request is open until it is answered, or closed', async (store) => {
    await added(store, envelope('1', { open: { rpc: 1 } }), envelope('2', { open: { rpc: 2 } }), envelope('3'))
    deepEqual(
      (await store.listOpen(space, many)).map(({ id, open }) => [id, open]),
      [
        ['1', { rpc: 1 }],
        ['2', { rpc: 2 }],
      ],
    )
    const answer = envelope('answer', { from: 'agent-b', to: ['agent-a'] })
    await store.append([{ envelope: answer, answers: { from: 'agent-a', id: '1' } }])
    await store.change({ space, from: 'agent-a', id: '2' }, { state: 'stopped', open: null })
    deepEqual(await store.listOpen(space, many), [])
    deepEqual(
      (await store.listFor(space, 'agent-b', 0, many)).map(({ id }) => id),
      ['1', '3'],
    )
  }),
  contractTest('of many answers to a request exactly one is kept, and none after it was stopped', async (store) => {
    await added(store, envelope('1', { open: { rpc: 1 } }), envelope('2', { open: { rpc: 2 } }))
    const answering = (id: string, asked: string, stops = false) =>
      store.append([
        {
          envelope: envelope(id, { from: 'agent-b', to: ['agent-a'] }),
          answers: { from: 'agent-a', id: asked, stops },
        },
      ])
    const ends = await Promise.all(Array.from({ length: 20 }, (_, index) => answering(`answer-${index}`, '1')))
    const kinds = ends.flat().map(({ kind }) => kind)
    equal(kinds.filter((kind) => kind === 'added').length, 1)
    equal(kinds.filter((kind) => kind === 'answered').length, 19)
    equal((await store.listFor(space, 'agent-a', 0, many)).length, 1)
    // Sent again, the one that was kept is known.
    const winner = kinds.indexOf('added')
    deepEqual(
      (await answering(`answer-${winner}`, '1')).map(({ kind }) => kind),
      ['known'],
    )
    deepEqual(await answering('late', 'never'), [{ kind: 'answered' }])
    // One that stops its request takes it from whoever has not received it.
    deepEqual(
      (await answering('over', '2', true)).map(({ kind }) => kind),
      ['added'],
    )
    deepEqual(
      (await store.listFor(space, 'agent-b', 0, many)).map(({ id }) => id),
      ['1'],
    )
    deepEqual(await answering('late', '2'), [{ kind: 'answered' }])
  }),
  contractTest('a request that is over stays so, and of many who release one, one does', async (store) => {
    const key = { space, from: 'agent-a', id: 'held' }
    await added(store, envelope('held', { state: 'held', open: { rpc: 1 } }))
    const released = await Promise.all(
      Array.from({ length: 10 }, (_, index) => store.change(key, { state: 'sent', text: `{"n":${index}}` })),
    )
    equal(released.filter((seq) => seq !== undefined).length, 1)
    const winner = released.findIndex((seq) => seq !== undefined)
    deepEqual(
      (await store.listFor(space, 'agent-b', 0, many)).map((one) => one.text),
      [`{"n":${winner}}`],
    )
    equal(await store.change(key, { state: 'stopped', open: null }), released[winner])
    equal(await store.change(key, { open: { rpc: 1 } }), undefined)
    equal(await store.change(key, { state: 'sent' }), undefined)
    deepEqual(await store.listOpen(space, many), [])
    deepEqual(await store.listFor(space, 'agent-b', 0, many), [])
  }),
  contractTest('what came since a number is listed in order, whomever it is for, held ones too', async (store) => {
    const [one = 0, two = 0] = await added(
      store,
      envelope('1'),
      envelope('2', { from: 'agent-c', to: [], state: 'sent' }),
      envelope('3', { state: 'held', open: { rpc: 3 } }),
      envelope('4', { state: 'held', open: { rpc: 4 } }),
      envelope('5', { space: 'other' }),
    )
    await store.change({ space, from: 'agent-a', id: '3' }, { state: 'sent' })
    await store.change({ space, from: 'agent-a', id: '4' }, { state: 'stopped', open: null })
    const since = async (after: number, limit = many) =>
      (await store.listSince(space, after, limit)).map(({ id }) => id)
    deepEqual(await since(0), ['1', '2', '3'])
    deepEqual(await since(one), ['2', '3'])
    deepEqual(await since(two, 1), ['3'])
    deepEqual(await since(0, 2), ['1', '2'])
  }),
  contractTest('the history is newest first, in pages, and only what somebody could hear', async (store) => {
    const seqs = await added(
      store,
      envelope('1'),
      envelope('2', { to: [] }),
      envelope('3', { from: 'agent-c', to: ['agent-d'] }),
      envelope('4', { from: 'agent-b', to: ['agent-c'] }),
      envelope('5', { state: 'held' }),
    )
    const ids = async (...args: [number, number?, string?]) => (await store.history(space, ...args)).map(({ id }) => id)
    deepEqual(await ids(many), ['4', '3', '2', '1'])
    deepEqual(await ids(2), ['4', '3'])
    deepEqual(await ids(many, seqs[2]), ['2', '1'])
    deepEqual(await ids(many, undefined, 'agent-b'), ['4', '2', '1'])
  }),
  contractTest('what a participant received only grows', async (store) => {
    const [seq = 0] = await added(store, envelope('1'))
    await store.append([{ envelope: envelope('2'), handedTo: ['agent-b'] }])
    const two = (await store.get(space, 'agent-a', '2'))?.seq ?? 0
    deepEqual(await store.received(space), new Map([['agent-b', two]]))
    await store.saveReceived(
      space,
      new Map([
        ['agent-b', seq],
        ['user-1', seq],
      ]),
    )
    deepEqual(
      await store.received(space),
      new Map([
        ['agent-b', two],
        ['user-1', seq],
      ]),
    )
    deepEqual(await store.received('other'), new Map())
  }),
  contractTest('old envelopes are deleted, but no open request', async (store) => {
    const old = new Date(at.getTime() - 1)
    await added(store, envelope('1', { at: old }), envelope('2', { at: old, open: { rpc: 1 } }), envelope('3'))
    equal(await store.deleteEnvelopes(space, at, many), 1)
    equal(await store.deleteEnvelopes(space, at, many), 0)
    deepEqual(
      (await store.history(space, many)).map(({ id }) => id),
      ['3', '2'],
    )
  }),
  {
    name: 'hub: everything is still there after reopening, and no number is given twice',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      const [seq = 0] = await added(store.hub, envelope('1'))
      await store.hub.saveReceived(space, new Map([['agent-b', seq]]))
      await store.hub.deleteEnvelopes(space, new Date(at.getTime() + 1), many)
      await store.close()
      const reopened = await reopen()
      try {
        deepEqual(await reopened.hub.received(space), new Map([['agent-b', seq]]))
        const [next = 0] = await added(reopened.hub, envelope('2'))
        equal(next > seq, true)
      } finally {
        await reopened.close()
      }
    },
  },
]
