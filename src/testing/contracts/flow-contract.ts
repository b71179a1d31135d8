import { deepEqual, equal, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Flow } from '../../connection/flow/flow.ts'
import type { ConnectionStore } from '../../connection/store.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import { alice, bob } from '../elicitations.ts'
import type { ContractTest } from './contract-test.ts'

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

const contractTest = (name: string, run: (store: ConnectionStore) => Promise<void>): ContractTest => ({
  name: `flows: ${name}`,
  run: ({ store }) => run(store.connections),
})

/** Text that a careless store damages. */
const text = 'é 𝄞 "\' \\ %s $1 ? :a'
const awkward = `${text} \u0000 \ud800 \n\r\t \u202e`

export const flowContract: readonly ContractTest[] = [
  contractTest('a flow is returned exactly as stored, once', async (store) => {
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
  contractTest('an unknown flow is absent', async (store) => {
    const { id } = await added(store, { id: 'a flow' })
    for (const other of ['', 'A flow', 'a flow ', 'a flow\u0000', '\u0000']) {
      equal(await store.takeFlow(other), undefined)
    }
    equal((await store.takeFlow(id))?.id, id)
  }),
  contractTest('of two flows with one id only the first is stored', async (store) => {
    const first = await added(store)
    await rejects(store.addFlow(aFlow({ id: first.id, participant: bob })))
    deepEqual(await store.takeFlow(first.id), first)
  }),
  contractTest('of twenty concurrent takes of a flow, exactly one gets it', async (store) => {
    const flow = await added(store)
    const taken = await Promise.all(times(20, () => store.takeFlow(flow.id)))
    deepEqual(
      taken.filter((one) => one !== undefined),
      [flow],
    )
  }),
  contractTest('an expired flow is stored until it is deleted, and no other is deleted', async (store) => {
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
  contractTest(
    'the key of a flow counts as in use until the flow is deleted, but flows are not listed as connections',
    async (store) => {
      const { id } = await added(store, { sealed: { key: 'old', box: 'v1.a' } })
      deepEqual(await store.sealingKeys(), ['old'])
      deepEqual(await store.listSealedExcept('new', many), [])
      deepEqual(await store.list(alice), [])
      deepEqual(await store.listAll(many), [])
      await store.takeFlow(id)
      deepEqual(await store.sealingKeys(), [])
    },
  ),
  contractTest(
    'forgetting a participant deletes their flows without counting them, and nobody else’s',
    async (store) => {
      const [mine, theirs] = [await added(store), await added(store, { participant: bob })]
      equal(await store.forget(alice), 0)
      equal(await store.takeFlow(mine.id), undefined)
      deepEqual(await store.takeFlow(theirs.id), theirs)
    },
  ),
  {
    name: 'flows: of many who take one through two openings at once, exactly one gets it',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      const flow = await added(store.connections)
      const other = await reopen()
      try {
        const takes = times(100, (index) => (index % 2 ? store : other).connections.takeFlow(flow.id))
        equal((await Promise.all(takes)).filter(Boolean).length, 1)
      } finally {
        await other.close()
      }
    },
  },
  {
    name: 'flows: everything is still there after reopening',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      const [kept, taken] = [await added(store.connections), await added(store.connections)]
      await store.connections.takeFlow(taken.id)
      await store.close()
      const reopened = await reopen()
      try {
        equal(await reopened.connections.takeFlow(taken.id), undefined)
        deepEqual(await reopened.connections.takeFlow(kept.id), kept)
      } finally {
        await reopened.close()
      }
    },
  },
]
