import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { everybody, everyServer, type Grant, type GrantId, type GrantUses } from '../../../approval/grant/grant.ts'
import type { GrantStore } from '../../../approval/store.ts'
import type { ElicitationId } from '../../../elicitation/elicitation.ts'
import { alice, bob } from '../../elicitations.ts'
import type { ContractTest } from '../contract-test.ts'

const many = 1_000
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes))
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const sorted = (grants: readonly Grant[]) => grants.map(({ id }) => id).sort()

type Once = Extract<GrantUses, { kind: 'once' }>
const once = (over: Partial<Once> = {}): Once => ({ kind: 'once', requester: 'r', call: 'c', ...over })
const revoked = { at: at(1), by: alice }

function aGrant(over: Partial<Grant> = {}): Grant {
  return {
    id: randomUUID() as GrantId,
    version: 1,
    effect: 'allow',
    participant: alice,
    server: 'github',
    uses: { kind: 'many' },
    grantedBy: alice,
    createdAt: at(0),
    ...over,
  }
}

async function added(store: GrantStore, over: Partial<Grant> = {}): Promise<Grant> {
  const grant = aGrant(over)
  equal(await store.add(grant), true)
  return grant
}

const nextVersion = (grant: Grant, over: Partial<Grant> = {}): Grant => ({
  ...grant,
  version: grant.version + 1,
  ...over,
})

async function saved(store: GrantStore, next: Grant): Promise<Grant> {
  equal(await store.saveIfUnchanged(next), true)
  return next
}

const contractTest = (name: string, run: (store: GrantStore) => Promise<void>): ContractTest => ({
  name: `grants: ${name}`,
  run: ({ store }) => run(store.grants),
})

/** Text that a careless store damages. */
const text = 'é 𝄞 "\' \\ %s $1 ? :a'
const awkward = `${text} \u0000 \ud800 \n\r\t \u202e`

/** A grant with every optional field. */
const full = (over: Partial<Grant> = {}) =>
  aGrant({
    version: 7,
    effect: 'deny',
    client: awkward,
    agents: [awkward, 'b'],
    server: awkward,
    tool: awkward,
    where: {
      arguments: [
        { name: awkward, below: awkward },
        { name: 'b', is: awkward },
      ],
      any: [awkward],
    },
    definition: awkward,
    grantedBy: bob,
    elicitation: randomUUID() as ElicitationId,
    createdAt: new Date(1),
    expiresAt: new Date('2199-12-31T23:59:59.999Z'),
    ...over,
  })

export const grantContract: readonly ContractTest[] = [
  contractTest('a grant is returned exactly as stored, for every kind of use', async (store) => {
    const everyUses: GrantUses[] = [
      { kind: 'many' },
      once({ requester: text, call: text }),
      once({ spent: { at: at(1), walk: awkward } }),
      once({ spent: { at: at(1), walk: 'w', outcome: 'failed' } }),
    ]
    for (const uses of everyUses) {
      for (const grant of [aGrant({ uses }), full({ uses }), full({ uses, revoked: { at: new Date(2), by: bob } })]) {
        equal(await store.add(grant), true)
        deepEqual(await store.get(grant.id), grant)
        const next = await saved(store, nextVersion(grant))
        deepEqual(await store.get(grant.id), next)
      }
    }
  }),
  contractTest('a saved grant is returned exactly as saved', async (store) => {
    const unspent = await added(store, { uses: once() })
    const begun = await saved(store, nextVersion(unspent, { uses: once({ spent: { at: at(1), walk: 'w' } }) }))
    deepEqual(await store.get(unspent.id), begun)
    const done = await saved(
      store,
      nextVersion(begun, { uses: once({ spent: { at: at(1), walk: 'w', outcome: 'done' } }) }),
    )
    deepEqual(await store.get(unspent.id), done)
    const { expiresAt: _, definition: __, ...less } = nextVersion(await added(store, full()))
    const next = await saved(store, { ...less, revoked })
    deepEqual(await store.get(less.id), next)
  }),
  contractTest('an unknown grant is absent', async (store) => {
    const kept = await added(store, { id: 'a grant' as GrantId, uses: once() })
    for (const id of ['', 'A grant', 'a grant ', 'a grant\u0000', '\u0000'] as GrantId[]) {
      equal(await store.get(id), undefined)
      equal(await store.saveIfUnchanged(nextVersion({ ...kept, id })), false)
    }
    for (const other of ['', 'R', 'c', 'r\u0000', '\u0000']) {
      deepEqual(await store.listOnce(other, 'c'), [])
      deepEqual(await store.listOnce('r', other === 'c' ? 'r' : other), [])
    }
    deepEqual(await store.listFor(bob, 'github', 'x'), [])
    deepEqual(await store.list(bob, many), [])
    equal(await store.forget(bob), 0)
  }),
  contractTest('a grant that is added twice is stored once, as first added', async (store) => {
    const first = await added(store)
    const second = nextVersion(first, { effect: 'deny' })
    equal(await store.add({ ...first, effect: 'deny', participant: bob }), false)
    deepEqual(await store.get(first.id), first)
    await saved(store, second)
    equal(await store.add(first), false)
    deepEqual(await store.get(first.id), second)
  }),
  contractTest('of twenty concurrent adds, exactly one succeeds', async (store) => {
    const id = randomUUID() as GrantId
    const all = times(20, (index) => aGrant({ id, client: `${index}` }))
    const won = await Promise.all(all.map((grant) => store.add(grant)))
    equal(won.filter(Boolean).length, 1)
    deepEqual(await store.list(alice, many), [all[won.indexOf(true)]])
  }),
  contractTest('a save from an old version changes nothing', async (store) => {
    const made = await added(store)
    const second = await saved(store, nextVersion(made, { revoked }))
    equal(await store.saveIfUnchanged(nextVersion(made)), false)
    equal(await store.saveIfUnchanged({ ...second, version: 9 }), false)
    deepEqual(await store.get(made.id), second)
  }),
  contractTest('of twenty calls that spend a grant at once, exactly one succeeds', async (store) => {
    const made = await added(store, { uses: once() })
    const tries = times(20, (index) => nextVersion(made, { uses: once({ spent: { at: at(1), walk: `${index}` } }) }))
    const won = await Promise.all(tries.map((next) => store.saveIfUnchanged(next)))
    equal(won.filter(Boolean).length, 1)
    deepEqual(await store.get(made.id), tries[won.indexOf(true)])
  }),
  contractTest(
    'for a call, the lasting grants of its participant, server and tool, or of all tools, are listed',
    async (store) => {
      const [tool, all, over] = [
        await added(store, { tool: 'push', client: 'c' }),
        await added(store, { effect: 'deny' }),
        await added(store, { tool: 'push', expiresAt: new Date(1) }),
      ]
      for (const other of ['pull', 'PUSH', 'push ', '', 'pus', '%', 'push\u0000', 'push\ud800']) {
        await added(store, { tool: other })
      }
      await added(store, { tool: 'push', participant: bob })
      await added(store, { participant: bob })
      await added(store, { tool: 'push', server: 'gitlab' })
      await added(store, { server: 'GitHub' })
      await added(store, { tool: 'push', uses: once() })
      await added(store, { tool: 'push', revoked })
      deepEqual(sorted(await store.listFor(alice, 'github', 'push')), sorted([tool, all, over]))
      deepEqual(await store.listFor(alice, 'github', 'new'), [all])
      await saved(store, nextVersion(all, { revoked }))
      deepEqual(sorted(await store.listFor(alice, 'github', 'push')), sorted([tool, over]))
      deepEqual(await store.listFor(alice, 'github', 'new'), [])
    },
  ),
  contractTest('grants for everybody are listed for any call, until they are revoked', async (store) => {
    const all = await added(store, { effect: 'deny', participant: everybody, server: everyServer })
    await added(store, { participant: everybody })
    await added(store, { server: everyServer, participant: bob })
    const mine = await added(store, { tool: 'push' })
    deepEqual(sorted(await store.listFor(alice, 'github', 'push')), sorted([mine, all]))
    deepEqual(await store.listFor(bob, 'gitlab', 'pull'), [all])
    await saved(store, nextVersion(all, { revoked }))
    deepEqual(await store.listFor(alice, 'github', 'push'), [mine])
    deepEqual(await store.listFor(bob, 'gitlab', 'pull'), [])
  }),
  contractTest('tools whose names differ minimally are never confused', async (store) => {
    const all = await added(store)
    const names = ['a', 'a\u0000', 'a\u0000b', 'a\ud800', 'a\ud801', 'a\ufffd', 'a\\u0000', 'a\\', 'a"', 'é', 'e\u0301']
    const grants = new Map<string, Grant>()
    for (const tool of names) grants.set(tool, await added(store, { tool }))
    for (const [tool, grant] of grants) {
      deepEqual(sorted(await store.listFor(alice, 'github', tool)), sorted([grant, all]))
      deepEqual(await store.get(grant.id), grant)
    }
    deepEqual(await store.listFor(alice, 'github', 'b\u0000'), [all])
  }),
  contractTest('unspent grants for one call are listed oldest first', async (store) => {
    const [first, second] = [await added(store, { uses: once() }), await added(store, { uses: once() })]
    await added(store)
    await added(store, { uses: once({ call: 'other' }) })
    await added(store, { uses: once({ requester: 'other' }) })
    await added(store, { uses: once(), revoked })
    await added(store, { uses: once({ spent: { at: at(1), walk: 'w' } }) })
    const over = await added(store, { uses: once(), expiresAt: new Date(1), participant: bob })
    deepEqual(await store.listOnce('r', 'c'), [first, second, over])
    await saved(store, nextVersion(first, { uses: once({ spent: { at: at(1), walk: 'w' } }) }))
    await saved(store, nextVersion(second, { revoked }))
    deepEqual(await store.listOnce('r', 'c'), [over])
  }),
  contractTest('lasting grants are listed newest first, page by page, each once', async (store) => {
    const mine: Grant[] = []
    const all: Grant[] = []
    for (let n = 0; n < 7; n++) {
      mine.unshift(await added(store, { tool: `${n}`, ...(n % 2 ? { revoked } : {}) }))
      all.unshift(mine[0] as Grant)
      all.unshift(await added(store, { participant: bob }))
      await added(store, { uses: once() })
    }
    deepEqual(await store.list(alice, many), mine)
    deepEqual(await store.listAll(many), all)
    const page = await store.list(alice, 3)
    deepEqual(page, mine.slice(0, 3))
    // The next page is the same although a newer grant was added and the last one of this page was changed meanwhile.
    const newer = await added(store)
    await saved(store, nextVersion(page[2] as Grant, { expiresAt: at(9) }))
    deepEqual(await store.list(alice, 3, page[2]?.id), mine.slice(3, 6))
    deepEqual(await store.list(alice, 3, mine[5]?.id), mine.slice(6))
    deepEqual(await store.list(alice, 3, mine[6]?.id), [])
    deepEqual(sorted(await store.listAll(4, all[2]?.id)), sorted(all.slice(3, 7)))
    for (const gone of ['nothing', 'nothing\u0000'] as GrantId[]) {
      deepEqual(await store.list(alice, 1, gone), [newer])
      deepEqual(await store.listAll(1, gone), [newer])
    }
  }),
  contractTest('grants that were spent, revoked or expired before a date are deleted, and no others', async (store) => {
    const spent = (minutes: number) => once({ spent: { at: at(minutes), walk: 'w' } })
    const gone = [
      await added(store, { uses: spent(4) }),
      await added(store, { uses: spent(4), expiresAt: at(9) }),
      await added(store, { revoked: { at: at(4), by: alice }, expiresAt: at(9) }),
      await added(store, { expiresAt: at(4) }),
      await added(store, { uses: once(), expiresAt: at(4) }),
      await saved(store, nextVersion(await added(store, { expiresAt: at(9) }), { revoked: { at: at(4), by: alice } })),
    ]
    const stay = [
      await added(store),
      await added(store, { uses: once(), expiresAt: at(5) }),
      await added(store, { uses: spent(5), expiresAt: at(9) }),
      await added(store, { revoked: { at: at(5), by: alice } }),
      await added(store, { createdAt: at(0), expiresAt: at(9) }),
      await saved(store, nextVersion(await added(store, { expiresAt: at(4) }), { expiresAt: at(9) })),
    ]
    for (const grant of [...gone, ...stay]) deepEqual(await store.get(grant.id), grant)
    equal(await store.deleteOver(at(4), many), 0)
    equal(await store.deleteOver(at(5), 2), 2)
    equal(await store.deleteOver(at(5), many), gone.length - 2)
    equal(await store.deleteOver(at(5), many), 0)
    for (const { id } of gone) equal(await store.get(id), undefined)
    for (const grant of stay) deepEqual(await store.get(grant.id), grant)
  }),
  contractTest(
    'forgetting a participant deletes the grants for their calls, and their name from those they gave or revoked',
    async (store) => {
      const bobs = { participant: bob, grantedBy: bob }
      const [lasting, single] = [await added(store), await added(store, { uses: once(), grantedBy: bob })]
      const given = await added(store, { participant: bob, tool: 'given' })
      const undone = await added(store, { ...bobs, tool: 'undone', revoked: { at: at(1), by: alice } })
      const untouched = await added(store, { ...bobs, tool: 'untouched', revoked: { at: at(1), by: bob } })
      equal(await store.forget(alice), 2)
      for (const { id } of [lasting, single]) equal(await store.get(id), undefined)
      deepEqual(await store.list(alice, many), [])
      deepEqual(await store.listFor(alice, 'github', 'x'), [])
      deepEqual(await store.listOnce('r', 'c'), [])
      deepEqual(await store.get(untouched.id), untouched)
      deepEqual(await store.listFor(bob, 'github', 'given'), [{ ...given, grantedBy: 'forgotten' }])
      // A save of a version that was read before does not restore the name.
      for (const grant of [given, undone]) await saved(store, nextVersion(grant))
      const left = await store.list(bob, many)
      equal(left.length, 3)
      equal(JSON.stringify(left).includes(alice), false)
    },
  ),
  {
    name: 'grants: of many who spend it through two openings at once, exactly one does',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      const made = await added(store.grants, { uses: once() })
      const other = await reopen()
      try {
        const saves = times(100, (index) =>
          (index % 2 ? store : other).grants.saveIfUnchanged(
            nextVersion(made, { uses: once({ spent: { at: at(1), walk: `${index}` } }) }),
          ),
        )
        equal((await Promise.all(saves)).filter(Boolean).length, 1)
      } finally {
        await other.close()
      }
    },
  },
  {
    name: 'grants: everything is still there after reopening',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      const [lasting, single] = [full(), aGrant({ uses: once() })]
      for (const grant of [lasting, single]) await store.grants.add(grant)
      await store.close()
      const reopened = await reopen()
      try {
        deepEqual(await reopened.grants.list(alice, many), [lasting])
        deepEqual(await reopened.grants.listOnce('r', 'c'), [single])
      } finally {
        await reopened.close()
      }
    },
  },
]
