import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Passkey, PasskeyStore } from '../../../passkey/passkey.ts'
import { alice, bob } from '../../elicitations.ts'
import type { ContractTest } from '../contract-test.ts'

const many = 1_000
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

function aPasskey(over: Partial<Passkey> = {}): Passkey {
  const id = randomUUID()
  return {
    id,
    version: 1,
    participant: alice,
    credential: `credential-of-${id}`,
    publicKey: 'pQECAyYgASFYIA',
    counter: 0,
    transports: ['internal', 'hybrid'],
    kind: 'synced',
    name: 'Phone',
    createdAt: new Date(Date.UTC(2026, 0, 1)),
    ...over,
  }
}

async function added(store: PasskeyStore, over: Partial<Passkey> = {}): Promise<Passkey> {
  const passkey = aPasskey(over)
  equal(await store.add(passkey), true)
  return passkey
}

const used = (passkey: Passkey, counter: number): Passkey => ({
  ...passkey,
  version: passkey.version + 1,
  counter,
  usedAt: new Date(Date.UTC(2026, 0, 2, 0, 0, counter)),
})

const contractTest = (name: string, run: (store: PasskeyStore) => Promise<void>): ContractTest => ({
  name: `passkeys: ${name}`,
  run: ({ store }) => run(store.passkeys),
})

/** Text that gets lost in careless stores. */
const text = 'é 𝄞 "\' \\ %s $1 ? :a'
const awkward = `${text} \u0000 \ud800 \n\r\t \u202e`

export const passkeyContract: readonly ContractTest[] = [
  contractTest('a passkey is returned exactly as stored', async (store) => {
    const plain = await added(store, { transports: [], kind: 'device' })
    const full = await added(store, {
      id: text,
      credential: `credential ${text}`,
      name: awkward,
      counter: 2 ** 32 - 1,
      createdAt: new Date(1),
      usedAt: new Date('2199-12-31T23:59:59.999Z'),
    })
    deepEqual(await store.list(alice), [plain, full])
  }),
  contractTest('an unknown passkey is absent', async (store) => {
    const passkey = await added(store)
    deepEqual(await store.list(bob), [])
    for (const id of ['', 'nothing', `${passkey.id}\u0000`, '\u0000']) {
      equal(await store.remove(alice, id), false)
      equal(await store.saveIfUnchanged({ ...used(passkey, 1), id }), false)
      deepEqual(await store.listAll(many, id), [])
    }
    equal(await store.forget(bob), 0)
    deepEqual(await store.list(alice), [passkey])
  }),
  contractTest('of two passkeys with one id or one credential only the first is stored', async (store) => {
    const first = await added(store)
    equal(await store.add(aPasskey({ id: first.id, participant: bob })), false)
    equal(await store.add(aPasskey({ credential: first.credential, participant: bob })), false)
    deepEqual(await store.list(alice), [first])
    deepEqual(await store.list(bob), [])
  }),
  contractTest('of twenty concurrent adds of one credential, exactly one succeeds', async (store) => {
    const all = times(20, (index) => aPasskey({ credential: 'the same', name: `${index}` }))
    const won = await Promise.all(all.map((passkey) => store.add(passkey)))
    equal(won.filter(Boolean).length, 1)
    deepEqual(await store.list(alice), [all[won.indexOf(true)]])
  }),
  contractTest('lists have the oldest first, of one participant or of all, page by page', async (store) => {
    const all = [await added(store), await added(store, { participant: bob }), await added(store)]
    deepEqual(await store.list(alice), [all[0], all[2]])
    deepEqual(await store.listAll(many), all)
    deepEqual(await store.listAll(2), all.slice(0, 2))
    deepEqual(await store.listAll(2, all[1]?.id), all.slice(2))
    deepEqual(await store.listAll(2, all[2]?.id), [])
  }),
  contractTest('a save changes the place of no passkey', async (store) => {
    const [first, second] = [await added(store), await added(store)]
    equal(await store.saveIfUnchanged(used(first, 1)), true)
    deepEqual(await store.list(alice), [used(first, 1), second])
    deepEqual(await store.listAll(many), [used(first, 1), second])
  }),
  contractTest('it is saved only over the version before', async (store) => {
    const passkey = await added(store)
    equal(await store.saveIfUnchanged(passkey), false)
    equal(await store.saveIfUnchanged({ ...used(passkey, 5), version: 3 }), false)
    equal(await store.saveIfUnchanged(used(passkey, 5)), true)
    equal(await store.saveIfUnchanged(used(passkey, 6)), false)
    deepEqual(await store.list(alice), [used(passkey, 5)])
  }),
  contractTest('of twenty who save at once, exactly one is kept', async (store) => {
    const passkey = await added(store)
    const saved = await Promise.all(times(20, (index) => store.saveIfUnchanged(used(passkey, index))))
    equal(saved.filter(Boolean).length, 1)
    deepEqual(await store.list(alice), [used(passkey, saved.indexOf(true))])
  }),
  contractTest('a removed passkey is not saved again', async (store) => {
    const passkey = await added(store)
    equal(await store.remove(alice, passkey.id), true)
    equal(await store.saveIfUnchanged(used(passkey, 1)), false)
    deepEqual(await store.list(alice), [])
  }),
  contractTest('a passkey is removed only for its participant, and once', async (store) => {
    const passkey = await added(store)
    equal(await store.remove(bob, passkey.id), false)
    deepEqual(await store.list(alice), [passkey])
    const removed = await Promise.all(times(20, () => store.remove(alice, passkey.id)))
    equal(removed.filter(Boolean).length, 1)
    deepEqual(await store.list(alice), [])
  }),
  contractTest('forgetting a participant deletes their passkeys and nobody else’s', async (store) => {
    await added(store)
    await added(store)
    const theirs = await added(store, { participant: bob })
    equal(await store.forget(alice), 2)
    deepEqual(await store.list(alice), [])
    deepEqual(await store.listAll(many), [theirs])
  }),
  {
    name: 'passkeys: everything is still there after reopening',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      const all = [await added(store.passkeys), await added(store.passkeys, { participant: bob })]
      await store.close()
      const reopened = await reopen()
      try {
        deepEqual(await reopened.passkeys.listAll(many), all)
      } finally {
        await reopened.close()
      }
    },
  },
]
