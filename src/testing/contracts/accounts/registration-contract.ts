import { deepEqual, equal } from 'node:assert/strict'
import type { Registration, RegistrationStore } from '../../../connection/registration/registration.ts'
import type { DefinitionStore, KnownDefinition } from '../../../definition/known-definition.ts'
import type { ContractTest } from '../contract-test.ts'

const many = 1_000
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

/** Text that gets lost in careless stores. */
const awkward = 'é 𝄞 "\' \\ %s $1 ? :a \u0000 \ud800 \n\r\t \u202e'

function aRegistration(over: Partial<Registration> = {}): Registration {
  return {
    issuer: 'https://login.example.com',
    resource: 'https://notes.example.com/mcp',
    version: 1,
    clientId: 'client-1',
    redirectUri: 'https://assent.example.com/oauth/callback/at-x',
    sealed: { key: 'k1', box: 'box' },
    registeredAt: new Date(Date.UTC(2026, 0, 1)),
    ...over,
  }
}

function aDefinition(over: Partial<KnownDefinition> = {}): KnownDefinition {
  const at = new Date(Date.UTC(2026, 0, 1))
  return {
    server: 'files',
    tool: 'read',
    version: 1,
    firstSeen: at,
    changes: 0,
    seen: { digest: 'd1', definition: '{"name":"read"}', at },
    ...over,
  }
}

const ofRegistrations = (name: string, run: (store: RegistrationStore) => Promise<void>): ContractTest => ({
  name: `registrations: ${name}`,
  run: ({ store }) => run(store.registrations),
})

const ofDefinitions = (name: string, run: (store: DefinitionStore) => Promise<void>): ContractTest => ({
  name: `definitions: ${name}`,
  run: ({ store }) => run(store.definitions),
})

const byTool = (one: KnownDefinition, other: KnownDefinition) => (one.tool < other.tool ? -1 : 1)

export const registrationContract: readonly ContractTest[] = [
  ofRegistrations('a registration is returned exactly as stored', async (store) => {
    const full = aRegistration({
      issuer: `https://x/${awkward}`,
      resource: awkward,
      clientId: awkward,
      expiresAt: new Date('2199-12-31T23:59:59.999Z'),
    })
    equal(await store.saveIfUnchanged(full), true)
    deepEqual(await store.get(full.issuer, full.resource), full)
    equal(await store.get(full.issuer, 'other'), undefined)
    equal(await store.get('other', full.resource), undefined)
    deepEqual(await store.list(many), [full])
    deepEqual(await store.list(0), [])
  }),
  ofRegistrations('of twenty who register at once, exactly one is kept', async (store) => {
    const all = times(20, (index) => aRegistration({ clientId: `client-${index}` }))
    const won = await Promise.all(all.map((one) => store.saveIfUnchanged(one)))
    equal(won.filter(Boolean).length, 1)
    deepEqual(await store.get(all[0]?.issuer ?? '', all[0]?.resource ?? ''), all[won.indexOf(true)])
  }),
  ofRegistrations('it is saved only over the version before', async (store) => {
    const first = aRegistration()
    equal(await store.saveIfUnchanged({ ...first, version: 2 }), false)
    equal(await store.saveIfUnchanged(first), true)
    equal(await store.saveIfUnchanged({ ...first, version: 3 }), false)
    const next = { ...first, version: 2, clientId: 'client-2', sealed: { key: 'k2', box: 'other' } }
    const saved = await Promise.all(times(20, () => store.saveIfUnchanged(next)))
    equal(saved.filter(Boolean).length, 1)
    deepEqual(await store.list(many), [next])
  }),
  ofRegistrations('only the registration of the client that is named is removed, and once', async (store) => {
    const kept = aRegistration()
    await store.saveIfUnchanged(kept)
    equal(await store.remove({ ...kept, clientId: 'client-2' }), false)
    equal(await store.remove({ ...kept, resource: 'other' }), false)
    const removed = await Promise.all(times(20, () => store.remove(kept)))
    equal(removed.filter(Boolean).length, 1)
    equal(await store.get(kept.issuer, kept.resource), undefined)
    equal(await store.saveIfUnchanged(kept), true)
  }),
  ofRegistrations('what is sealed under another key is found', async (store) => {
    const old = aRegistration()
    const current = aRegistration({ resource: 'other', sealed: { key: 'k2', box: 'box' } })
    await store.saveIfUnchanged(old)
    await store.saveIfUnchanged(current)
    deepEqual(await store.listSealedExcept('k2', many), [old])
    deepEqual((await store.sealingKeys()).sort(), ['k1', 'k2'])
  }),
  ofDefinitions('what is known of a tool is returned exactly as stored', async (store) => {
    const plain = aDefinition()
    const full = aDefinition({
      tool: awkward,
      changes: 7,
      seen: { digest: 'd2', definition: JSON.stringify({ name: awkward }), at: new Date(5) },
      allowed: { digest: 'd1', definition: awkward, at: new Date(4) },
    })
    equal(await store.saveIfUnchanged(plain), true)
    equal(await store.saveIfUnchanged(full), true)
    deepEqual(await store.get('files', 'read'), plain)
    deepEqual(await store.get('files', awkward), full)
    equal(await store.get('files', 'write'), undefined)
    equal(await store.get('notes', 'read'), undefined)
  }),
  ofDefinitions('lists have the tools of one server, or of all', async (store) => {
    const all = [aDefinition(), aDefinition({ tool: 'write' }), aDefinition({ server: 'notes', tool: 'x' })]
    for (const one of all) await store.saveIfUnchanged(one)
    deepEqual((await store.list('files')).sort(byTool), all.slice(0, 2))
    deepEqual(await store.list('other'), [])
    deepEqual((await store.listAll(many)).sort(byTool), all)
    equal((await store.listAll(2)).length, 2)
  }),
  ofDefinitions('of twenty who see or allow a tool at once, exactly one is kept', async (store) => {
    const first = aDefinition()
    const seen = await Promise.all(times(20, () => store.saveIfUnchanged(first)))
    equal(seen.filter(Boolean).length, 1)
    const all = times(20, (changes) => ({ ...first, version: 2, changes }))
    const saved = await Promise.all(all.map((one) => store.saveIfUnchanged(one)))
    equal(saved.filter(Boolean).length, 1)
    deepEqual(await store.get('files', 'read'), all[saved.indexOf(true)])
    equal(await store.saveIfUnchanged({ ...first, version: 4 }), false)
  }),
  ofDefinitions('a removed tool is unknown, and begins anew', async (store) => {
    const first = aDefinition()
    await store.saveIfUnchanged(first)
    equal(await store.remove('files', 'read'), true)
    equal(await store.remove('files', 'read'), false)
    equal(await store.saveIfUnchanged({ ...first, version: 2 }), false)
    deepEqual(await store.list('files'), [])
    equal(await store.saveIfUnchanged(first), true)
  }),
  {
    name: 'registrations, definitions: everything is still there after reopening',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      await store.registrations.saveIfUnchanged(aRegistration())
      await store.definitions.saveIfUnchanged(aDefinition())
      await store.close()
      const reopened = await reopen()
      try {
        deepEqual(await reopened.registrations.list(many), [aRegistration()])
        deepEqual(await reopened.definitions.listAll(many), [aDefinition()])
      } finally {
        await reopened.close()
      }
    },
  },
]
