import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Connection } from '../../connection/connection.ts'
import type { ConnectionStore } from '../../connection/store.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import { alice, bob } from '../elicitations.ts'
import type { ContractTest } from './contract-test.ts'

const many = 1_000
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes))
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

function aConnection(over: Partial<Connection> = {}): Connection {
  return {
    id: randomUUID(),
    version: 1,
    participant: alice,
    provider: 'github',
    scopes: ['repo'],
    standing: 'good',
    sealed: { key: 'k1', box: 'v1.abc' },
    renewable: false,
    obtained: { at: at(0), by: 'consent' },
    connectedAt: at(0),
    ...over,
  }
}

async function put(store: ConnectionStore, over: Partial<Connection> = {}): Promise<Connection> {
  const connection = aConnection(over)
  await store.put(connection)
  return connection
}

const nextVersion = (connection: Connection, over: Partial<Connection> = {}): Connection => ({
  ...connection,
  version: connection.version + 1,
  ...over,
})

const contractTest = (name: string, run: (store: ConnectionStore) => Promise<void>): ContractTest => ({
  name: `connections: ${name}`,
  run: ({ store }) => run(store.connections),
})

/** Text that a careless store damages. */
const text = 'é 𝄞 "\' \\ %s $1 ? :a'
const awkward = `${text} \u0000 \ud800 \n\r\t \u202e`

const full: Connection = {
  id: text,
  version: 7,
  participant: alice,
  provider: text,
  scopes: [awkward, '', 'b'],
  standing: 'doubted',
  sealed: { key: text, box: `${text}${'x'.repeat(100_000)}` },
  expiresAt: new Date('2199-12-31T23:59:59.999Z'),
  renewable: true,
  obtained: { at: new Date(1), by: 'refresh' },
  refreshingUntil: new Date(2),
  account: awkward,
  connectedAt: new Date(0),
  elicitation: randomUUID() as ElicitationId,
}

export const connectionContract: readonly ContractTest[] = [
  contractTest('a connection is returned exactly as stored', async (store) => {
    const plain = await put(store, { scopes: [], standing: 'refused', obtained: { at: at(1), by: 'key' } })
    await store.put(full)
    for (const connection of [plain, full]) {
      deepEqual(await store.get(alice, connection.provider), connection)
      const next = nextVersion(connection, {
        standing: 'good',
        refreshingUntil: at(3),
        sealed: { key: 'k2', box: 'v1.new' },
      })
      equal(await store.saveIfUnchanged(next), true)
      deepEqual(await store.get(alice, connection.provider), next)
    }
    const {
      expiresAt: _,
      refreshingUntil: __,
      account: ___,
      elicitation: ____,
      ...less
    } = nextVersion(nextVersion(full))
    equal(await store.saveIfUnchanged(less), true)
    deepEqual(await store.get(alice, full.provider), less)
  }),
  contractTest('an unknown connection is absent', async (store) => {
    const kept = await put(store)
    for (const provider of ['', 'GitHub', 'github ', 'github\u0000', '\u0000']) {
      equal(await store.get(alice, provider), undefined)
      equal(await store.remove({ ...kept, provider }), false)
      equal(await store.saveIfUnchanged(nextVersion({ ...kept, provider })), false)
    }
    equal(await store.get(bob, 'github'), undefined)
    deepEqual(await store.list(bob), [])
    equal(await store.forget(bob), 0)
    deepEqual(await store.list(alice), [kept])
  }),
  contractTest('a put replaces the connection of the same participant and provider, and no other', async (store) => {
    const others = [await put(store, { provider: 'linear' }), await put(store, { participant: bob })]
    const old = await put(store, { version: 5, account: 'old' })
    const next = await put(store)
    deepEqual(await store.get(alice, 'github'), next)
    equal(await store.saveIfUnchanged(nextVersion(old)), false)
    equal(await store.saveIfUnchanged(nextVersion({ ...old, version: 1 })), false)
    equal(await store.remove(old), false)
    deepEqual(await store.get(alice, 'github'), next)
    for (const other of others) deepEqual(await store.get(other.participant, other.provider), other)
  }),
  contractTest('of twenty concurrent puts, one is stored as a whole', async (store) => {
    const all = times(20, (index) => aConnection({ account: `${index}` }))
    await Promise.all(all.map((connection) => store.put(connection)))
    const kept = await store.list(alice)
    equal(kept.length, 1)
    deepEqual(
      kept[0],
      all.find(({ id }) => id === kept[0]?.id),
    )
  }),
  contractTest('a save from an old version changes nothing', async (store) => {
    const made = await put(store)
    const second = nextVersion(made, { account: 'second' })
    equal(await store.saveIfUnchanged(second), true)
    equal(await store.saveIfUnchanged(nextVersion(made, { account: 'late' })), false)
    equal(await store.saveIfUnchanged({ ...second, version: 9 }), false)
    deepEqual(await store.get(alice, 'github'), second)
  }),
  contractTest('of twenty concurrent saves, exactly one succeeds', async (store) => {
    const made = await put(store)
    const tries = times(20, (index) => nextVersion(made, { account: `${index}` }))
    const won = await Promise.all(tries.map((next) => store.saveIfUnchanged(next)))
    equal(won.filter(Boolean).length, 1)
    deepEqual(await store.get(alice, 'github'), tries[won.indexOf(true)])
  }),
  contractTest('a connection is removed whatever its version, and no save restores it', async (store) => {
    const made = await put(store)
    equal(await store.saveIfUnchanged(nextVersion(made)), true)
    equal(await store.remove({ ...made, id: 'another' }), false)
    equal(await store.remove({ ...made, participant: bob }), false)
    const removed = await Promise.all(times(20, () => store.remove(made)))
    equal(removed.filter(Boolean).length, 1)
    equal(await store.get(alice, 'github'), undefined)
    equal(await store.saveIfUnchanged(nextVersion(nextVersion(made))), false)
    deepEqual(await store.list(alice), [])
  }),
  contractTest('a list has the connections of one participant in the order of the providers’ names', async (store) => {
    for (const provider of ['linear', 'a-b', 'github', 'Zoo', 'ab', 'a.c']) await put(store, { provider })
    await put(store, { participant: bob, provider: 'aaa' })
    const names = (await store.list(alice)).map(({ provider }) => provider)
    deepEqual(names, ['Zoo', 'a-b', 'a.c', 'ab', 'github', 'linear'])
    equal((await store.listAll(many)).length, 7)
    equal((await store.listAll(2)).length, 2)
  }),
  contractTest('credentials sealed under other keys are found', async (store) => {
    const old = await put(store, { sealed: { key: 'old', box: 'v1.a' } })
    await put(store, { provider: 'linear', sealed: { key: 'new', box: 'v1.b' } })
    deepEqual(await store.listSealedExcept('new', many), [old])
    deepEqual((await store.sealingKeys()).sort(), ['new', 'old'])
    equal(await store.saveIfUnchanged(nextVersion(old, { sealed: { key: 'new', box: 'v1.c' } })), true)
    deepEqual(await store.listSealedExcept('new', many), [])
    deepEqual(await store.sealingKeys(), ['new'])
    equal((await store.listSealedExcept('newer', 1)).length, 1)
  }),
  contractTest('forgetting a participant deletes their connections and nobody else’s', async (store) => {
    const made = await put(store)
    await put(store, { provider: 'linear' })
    const theirs = await put(store, { participant: bob })
    equal(await store.forget(alice), 2)
    deepEqual(await store.list(alice), [])
    equal(await store.saveIfUnchanged(nextVersion(made)), false)
    deepEqual(await store.listAll(many), [theirs])
  }),
  {
    name: 'connections: of many who save through two openings at once, exactly one is kept',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      const made = await put(store.connections)
      const other = await reopen()
      try {
        const saves = times(100, (index) => (index % 2 ? store : other).connections.saveIfUnchanged(nextVersion(made)))
        equal((await Promise.all(saves)).filter(Boolean).length, 1)
      } finally {
        await other.close()
      }
    },
  },
  {
    name: 'connections: everything is still there after reopening',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      await store.connections.put(full)
      await store.close()
      const reopened = await reopen()
      try {
        deepEqual(await reopened.connections.list(alice), [full])
      } finally {
        await reopened.close()
      }
    },
  },
]
