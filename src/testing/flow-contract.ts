import { deepEqual, equal, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Flow } from '../connection/flow/flow.ts'
import type { ConnectionStore } from '../connection/store.ts'
import type { ElicitationId } from '../elicitation/elicitation.ts'
import { alice, bob } from './elicitations.ts'
import type { Promised } from './promised.ts'

const many = 1_000
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes))
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

function aFlow(over: Partial<Flow> = {}): Flow {
  return {
    id: randomUUID(),
    participant: alice,
    provider: 'github',
    browser: 'key of a browser',
    scopes: ['repo'],
    redirectUri: 'https://assent.example.com/connect/callback',
    sealed: { key: 'k1', box: 'v1.abc' },
    createdAt: at(0),
    expiresAt: at(10),
    ...over,
  }
}

async function added(store: ConnectionStore, over: Partial<Flow> = {}): Promise<Flow> {
  const flow = aFlow(over)
  await store.addFlow(flow)
  return flow
}

const promise = (name: string, run: (store: ConnectionStore) => Promise<void>): Promised => ({
  name: `flows: ${name}`,
  run: ({ store }) => run(store.connections),
})

/** Text that gets lost in careless stores. */
const text = 'é 𝄞 "\' \\ %s $1 ? :a'
const awkward = `${text} \u0000 \ud800 \n\r\t \u202e`

export const flowContract: readonly Promised[] = [
  promise('what is kept comes back exactly, once', async (store) => {
    const plain = await added(store, { scopes: [] })
    const full = await added(store, {
      id: text,
      provider: awkward,
      browser: awkward,
      elicitation: randomUUID() as ElicitationId,
      scopes: [awkward, '', 'b'],
      redirectUri: awkward,
      sealed: { key: text, box: `${text}${'x'.repeat(10_000)}` },
      createdAt: new Date(1),
      expiresAt: new Date('2199-12-31T23:59:59.999Z'),
    })
    for (const flow of [plain, full]) {
      deepEqual(await store.takeFlow(flow.id), flow)
      equal(await store.takeFlow(flow.id), undefined)
    }
  }),
  promise('what was never kept is absent', async (store) => {
    const { id } = await added(store, { id: 'a flow' })
    for (const other of ['', 'A flow', 'a flow ', 'a flow\u0000', '\u0000']) {
      equal(await store.takeFlow(other), undefined)
    }
    equal((await store.takeFlow(id))?.id, id)
  }),
  promise('of two with one id only the first is kept', async (store) => {
    const first = await added(store)
    await rejects(store.addFlow(aFlow({ id: first.id, participant: bob })))
    deepEqual(await store.takeFlow(first.id), first)
  }),
  promise('of twenty who take a flow at once, exactly one gets it', async (store) => {
    const flow = await added(store)
    const taken = await Promise.all(times(20, () => store.takeFlow(flow.id)))
    deepEqual(
      taken.filter((one) => one !== undefined),
      [flow],
    )
  }),
  promise('one that is over is kept until it is deleted, and deleting takes no other', async (store) => {
    const over = [await added(store, { expiresAt: at(1) }), await added(store, { expiresAt: at(2) })]
    const stays = await added(store, { expiresAt: at(3) })
    equal(await store.deleteFlows(at(1), many), 0)
    equal(await store.deleteFlows(at(3), 1), 1)
    equal(await store.deleteFlows(at(3), many), 1)
    equal(await store.deleteFlows(at(3), many), 0)
    for (const { id } of over) equal(await store.takeFlow(id), undefined)
    const late = await added(store, { expiresAt: new Date(1) })
    for (const flow of [stays, late]) deepEqual(await store.takeFlow(flow.id), flow)
  }),
  promise('the key of a flow counts as used until the flow is gone, but a flow is no connection', async (store) => {
    const { id } = await added(store, { sealed: { key: 'old', box: 'v1.a' } })
    deepEqual(await store.sealingKeys(), ['old'])
    deepEqual(await store.listSealedExcept('new', many), [])
    deepEqual(await store.list(alice), [])
    deepEqual(await store.listAll(many), [])
    await store.takeFlow(id)
    deepEqual(await store.sealingKeys(), [])
  }),
  promise('forgetting a participant deletes their flows, uncounted, and nobody else’s', async (store) => {
    const [mine, theirs] = [await added(store), await added(store, { participant: bob })]
    equal(await store.forget(alice), 0)
    equal(await store.takeFlow(mine.id), undefined)
    deepEqual(await store.takeFlow(theirs.id), theirs)
  }),
  {
    name: 'flows: of many who take one through two openings at once, exactly one gets it',
    async run({ store, again }) {
      if (again === undefined) return
      const flow = await added(store.connections)
      const other = await again()
      try {
        const takes = times(100, (index) => (index % 2 ? store : other).connections.takeFlow(flow.id))
        equal((await Promise.all(takes)).filter(Boolean).length, 1)
      } finally {
        await other.close()
      }
    },
  },
  {
    name: 'flows: opened again, everything is still there',
    async run({ store, again }) {
      if (again === undefined) return
      const [kept, taken] = [await added(store.connections), await added(store.connections)]
      await store.connections.takeFlow(taken.id)
      await store.close()
      const reopened = await again()
      try {
        equal(await reopened.connections.takeFlow(taken.id), undefined)
        deepEqual(await reopened.connections.takeFlow(kept.id), kept)
      } finally {
        await reopened.close()
      }
    },
  },
]
