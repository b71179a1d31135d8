import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ApiToken, OwnedStore } from '../../../participant/owned.ts'
import type { Store } from '../../../stores/store.ts'
import { alice, bob } from '../../elicitations.ts'
import type { ContractTest } from '../contract-test.ts'

const many = 1_000
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes))
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

function aRecord(over: Partial<ApiToken> = {}): ApiToken {
  const id = randomUUID()
  return {
    id,
    key: `key of ${id}`,
    participant: alice,
    name: 'A program',
    rights: ['list', 'answer'],
    createdAt: at(0),
    expiresAt: at(10),
    ...over,
  }
}

async function added(store: OwnedStore<ApiToken>, over: Partial<ApiToken> = {}): Promise<ApiToken> {
  const one = aRecord(over)
  equal(await store.add(one), true)
  return one
}

/** Text that gets lost in careless stores. */
const text = 'é 𝄞 "\' \\ %s $1 ? :a'
const awkward = `${text} \u0000 \ud800 \n\r\t \u202e`

type Pick = (store: Store) => OwnedStore<ApiToken>

/** The promises are the same for each kind, and what a record holds besides is one JSON text. */
const kinds: Readonly<Record<string, Pick>> = {
  tokens: ({ tokens }) => tokens,
  'push subscriptions': ({ pushes }) => pushes as unknown as OwnedStore<ApiToken>,
}

const contractOf = (kind: string, pick: Pick): readonly ContractTest[] => {
  const contractTest = (name: string, run: (store: OwnedStore<ApiToken>) => Promise<void>): ContractTest => ({
    name: `${kind}: ${name}`,
    run: ({ store }) => run(pick(store)),
  })
  return [
    contractTest('one is returned exactly as stored', async (store) => {
      const plain = await added(store, { rights: [] })
      const full = await added(store, {
        id: text,
        key: `key ${text}`,
        name: awkward,
        createdAt: new Date(1),
        expiresAt: new Date('2199-12-31T23:59:59.999Z'),
      })
      deepEqual(await store.list(alice), [plain, full])
      deepEqual(await store.getByKey(full.key), full)
    }),
    contractTest('an unknown one is absent', async (store) => {
      const one = await added(store)
      deepEqual(await store.list(bob), [])
      for (const unknown of ['', 'nothing', `${one.id}\u0000`, '\u0000']) {
        equal(await store.getByKey(unknown), undefined)
        equal(await store.remove(alice, unknown), false)
        deepEqual(await store.listAll(many, unknown), [])
      }
      equal(await store.forget(bob), 0)
      deepEqual(await store.list(alice), [one])
    }),
    contractTest('of two with one id or one key only the first is stored', async (store) => {
      const first = await added(store)
      equal(await store.add(aRecord({ id: first.id, participant: bob })), false)
      equal(await store.add(aRecord({ key: first.key, participant: bob })), false)
      deepEqual(await store.listAll(many), [first])
    }),
    contractTest('of twenty concurrent adds of one key, exactly one succeeds', async (store) => {
      const all = times(20, (index) => aRecord({ key: 'the same', name: `${index}` }))
      const won = await Promise.all(all.map((one) => store.add(one)))
      equal(won.filter(Boolean).length, 1)
      deepEqual(await store.getByKey('the same'), all[won.indexOf(true)])
    }),
    contractTest('lists have the oldest first, of one participant or of all, page by page', async (store) => {
      const all = [await added(store), await added(store, { participant: bob }), await added(store)]
      deepEqual(await store.list(alice), [all[0], all[2]])
      deepEqual(await store.listAll(many), all)
      deepEqual(await store.listAll(2), all.slice(0, 2))
      deepEqual(await store.listAll(2, all[1]?.id), all.slice(2))
      deepEqual(await store.listAll(2, all[2]?.id), [])
    }),
    contractTest('one is removed only for its participant, and once', async (store) => {
      const one = await added(store)
      equal(await store.remove(bob, one.id), false)
      deepEqual(await store.getByKey(one.key), one)
      const removed = await Promise.all(times(20, () => store.remove(alice, one.id)))
      equal(removed.filter(Boolean).length, 1)
      equal(await store.getByKey(one.key), undefined)
      deepEqual(await store.listAll(many), [])
    }),
    contractTest('those that are over are deleted, and no others', async (store) => {
      const over = await added(store, { expiresAt: at(1) })
      const exact = await added(store, { expiresAt: at(2) })
      const later = await added(store, { expiresAt: at(3) })
      equal(await store.deleteOver(at(2), many), 1)
      equal(await store.getByKey(over.key), undefined)
      deepEqual(await store.listAll(many), [exact, later])
      equal(await store.deleteOver(at(9), 1), 1)
      equal((await store.listAll(many)).length, 1)
    }),
    contractTest('forgetting a participant deletes theirs and nobody else’s', async (store) => {
      await added(store)
      await added(store)
      const theirs = await added(store, { participant: bob })
      equal(await store.forget(alice), 2)
      deepEqual(await store.list(alice), [])
      deepEqual(await store.listAll(many), [theirs])
    }),
    {
      name: `${kind}: everything is still there after reopening`,
      async run({ store, reopen }) {
        if (reopen === undefined) return
        const all = [await added(pick(store)), await added(pick(store), { participant: bob })]
        await store.close()
        const reopened = await reopen()
        try {
          deepEqual(await pick(reopened).listAll(many), all)
        } finally {
          await reopened.close()
        }
      },
    },
  ]
}

export const ownedContract: readonly ContractTest[] = [
  ...Object.entries(kinds).flatMap(([kind, pick]) => contractOf(kind, pick)),
  {
    name: 'tokens and push subscriptions with one id and one key are apart',
    async run({ store }) {
      const [token, push] = [aRecord(), aRecord()].map((one) => ({ ...one, id: 'the id', key: 'the key' }))
      if (token === undefined || push === undefined) return
      equal(await store.tokens.add(token), true)
      equal(await (store.pushes as unknown as OwnedStore<ApiToken>).add({ ...push, participant: bob }), true)
      deepEqual(await store.tokens.getByKey('the key'), token)
      equal(await store.tokens.forget(bob), 0)
      equal((await store.pushes.listAll(many)).length, 1)
    },
  },
]
