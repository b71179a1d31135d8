import { expect, test } from 'vitest'
import type { Sealed, Vault } from '../../src/base/seal.ts'
import { type StepStore, stepIdentity } from '../../src/call/step.ts'
import { type Connection, credentialIdentity } from '../../src/connection/connection.ts'
import { answerIdentity } from '../../src/elicitation/answering/answer-identity.ts'
import type { Elicitation, ElicitationId } from '../../src/elicitation/elicitation.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { localRequester } from '../../src/participant/requester.ts'
import { memoryConnections } from '../../src/stores/memory/connections.ts'
import { memorySteps } from '../../src/stores/memory/steps.ts'
import { memoryRegistrations } from '../../src/stores/memory/tables/registrations.ts'
import { envKeys, formatKey, makeKey } from '../../src/vault/keys.ts'
import { resealAll } from '../../src/vault/reseal.ts'
import { createVault } from '../../src/vault/vault.ts'

const [older, newer, lost] = [makeKey(), makeKey(), makeKey()] as const
const before = createVault(envKeys(formatKey(older)))
const vault = createVault(envKeys(`${formatKey(newer)},${formatKey(older)}`))
const at = new Date('2026-03-01T12:00:00Z')
/** Stores without steps, connections and registrations. */
const others = { steps: memorySteps(), connections: memoryConnections(), registrations: memoryRegistrations() }

test('everything sealed under an old key is resealed under the current one, and opens', async () => {
  const store = await storeOf(before, 250)

  expect(await resealAll({ ...others, elicitations: store, vault })).toEqual({ resealed: 250, failed: [] })
  for (const elicitation of store.all()) {
    expect(sealOf(elicitation).key).toBe(newer.id)
    expect(elicitation.version).toBe(3)
    expect(await vault.open(sealOf(elicitation), answerIdentity(elicitation))).toBe(`secret of ${elicitation.id}`)
  }
})

test('only the sealed value and the version of a record change', async () => {
  const store = await storeOf(before, 1)
  const [kept] = store.all()
  await resealAll({ ...others, elicitations: store, vault })

  const [after] = store.all()
  if (kept === undefined || after === undefined) throw new Error('the store lost it')
  expect({ ...withSeal(after, sealOf(kept)), version: kept.version }).toEqual(kept)
})

test('without anything to reseal, nothing is written', async () => {
  const store = await storeOf(vault, 3)
  expect(await resealAll({ ...others, elicitations: store, vault })).toEqual({ resealed: 0, failed: [] })
  expect(store.all().every(({ version }) => version === 2)).toBe(true)
})

test('progress is reported after each page', async () => {
  const reported: unknown[] = []
  await resealAll({
    elicitations: await storeOf(before, 250),
    ...others,
    vault,
    progress: (soFar) => reported.push(soFar),
  })
  expect(reported).toEqual([100, 200, 250].map((resealed) => ({ resealed, failed: 0 })))
})

test('any number of values that cannot be opened are reported and left, and the rest is resealed', async () => {
  const store = await storeOf(createVault(envKeys(formatKey(lost))), 350, 'lost')
  const broken = await sealed(before, 'moved', 'elicitation/elsewhere/answer')
  store.put(broken)
  await fill(store, before, 120, 'fine')

  const { resealed, failed } = await resealAll({ ...others, elicitations: store, vault })

  expect(resealed).toBe(120)
  expect(failed.filter(({ code }) => code === 'key_missing')).toHaveLength(350)
  expect(failed.filter(({ code }) => code === 'seal_broken')).toEqual([{ id: broken.id, code: 'seal_broken' }])
  expect(store.get(broken.id)).toEqual(broken)
})

test('a record that is saved by another process first is read again', async () => {
  const store = await storeOf(before, 3)
  let disturbed = false
  const { resealed, failed } = await resealAll({
    vault,
    ...others,
    elicitations: {
      ...store,
      saveIfUnchanged: async (next) => {
        const kept = store.get(next.id)
        if (!disturbed && kept !== undefined) store.put({ ...kept, version: kept.version + 1 })
        disturbed = true
        return store.saveIfUnchanged(next)
      },
    },
  })

  expect({ resealed, failed }).toEqual({ resealed: 3, failed: [] })
  expect(store.all().map(({ version }) => version)).toEqual([4, 3, 3])
})

test('a record deleted meanwhile is neither resealed nor a failure', async () => {
  const store = await storeOf(before, 2)
  const { resealed, failed } = await resealAll({
    vault,
    ...others,
    elicitations: {
      ...store,
      saveIfUnchanged: async (next) => {
        if (next.id === 'e0') store.delete(next.id)
        return store.saveIfUnchanged(next)
      },
    },
  })
  expect({ resealed, failed }).toEqual({ resealed: 1, failed: [] })
})

test('two concurrent runs share the work, and each record is saved once', async () => {
  const store = await storeOf(before, 150)
  const both = await Promise.all([1, 2].map(() => resealAll({ ...others, elicitations: store, vault })))

  expect(both.flatMap(({ failed }) => failed)).toEqual([])
  expect(both.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(150)
  expect(store.all().every(({ version }) => version === 3)).toBe(true)
})

test('after another rotation meanwhile, everything is sealed under the newest key', async () => {
  const newest = makeKey()
  const after = createVault(envKeys([newest, newer, older].map(formatKey).join()))
  let seals = 0
  const turning: Vault = {
    seal: (secret, identity) => (++seals > 130 ? after : vault).seal(secret, identity),
    open: after.open,
    currentKey: () => (seals > 130 ? after : vault).currentKey(),
  }
  const store = await storeOf(before, 200)
  const { failed } = await resealAll({ ...others, elicitations: store, vault: turning })

  expect(failed).toEqual([])
  expect(new Set(store.all().map((elicitation) => sealOf(elicitation).key))).toEqual(new Set([newest.id]))
})

test('a record that keeps changing is given up, and resealing ends', async () => {
  const store = await storeOf(before, 2)
  const stubborn = store.get('e1' as ElicitationId)
  const { resealed, failed } = await resealAll({
    vault,
    ...others,
    elicitations: {
      ...store,
      saveIfUnchanged: async (next) => {
        const saved = await store.saveIfUnchanged(next)
        if (next.id === 'e1' && stubborn !== undefined) store.put({ ...stubborn, version: next.version + 1 })
        return saved
      },
    },
  })
  expect(failed).toEqual([{ id: 'e1', code: 'kept_changing' }])
  expect(resealed).toBe(1)
})

test('a store that lists records without sealed values does not cause an endless loop', async () => {
  const store = await storeOf(before, 1)
  const open: Elicitation = { ...(store.all()[0] as Elicitation), state: { kind: 'open' } }
  const elicitations = { ...store, listSealedExcept: async () => [open] }

  const { failed } = await resealAll({ ...others, elicitations, vault })
  expect(failed).toEqual([{ id: open.id, code: 'kept_changing' }])
})

test('a store that fails ends resealing with its own error', async () => {
  const store = await storeOf(before, 1)
  const down = new Error('down')
  const elicitations = { ...store, saveIfUnchanged: () => Promise.reject(down) }
  await expect(resealAll({ ...others, elicitations, vault })).rejects.toBe(down)
})

test('results of steps are resealed too, and open', async () => {
  const elicitations = await storeOf(before, 120)
  const finished = await stepsOf(before, 120)
  const reported: unknown[] = []
  const { resealed, failed } = await resealAll({
    ...others,
    elicitations,
    steps: finished,
    vault,
    progress: (soFar) => reported.push(soFar),
  })

  expect({ resealed, failed }).toEqual({ resealed: 240, failed: [] })
  expect(reported.at(-1)).toEqual({ resealed: 240, failed: 0 })
  expect(await finished.sealingKeys()).toEqual([newer.id])
  const key = { walkId: 'w7', name: 'call' }
  const again = await finished.claim(key, at)
  if (again.kind !== 'finished') return expect.unreachable()
  expect(await vault.open(again.result, stepIdentity(key))).toBe('result of w7')
})

test('a step that cannot be opened is reported and left, and the rest is resealed', async () => {
  const finished = await stepsOf(createVault(envKeys(formatKey(lost))), 150, 'lost')
  const moved = { walkId: 'moved', name: 'call' }
  await finished.claim(moved, at)
  await finished.finish(moved, await before.seal('x', stepIdentity({ walkId: 'elsewhere', name: 'call' })))
  await fillSteps(finished, before, 20, 'fine')

  const { resealed, failed } = await resealAll({ ...others, elicitations: emptyStore(), steps: finished, vault })
  expect(resealed).toBe(20)
  expect(failed.filter(({ code }) => code === 'key_missing')).toHaveLength(150)
  expect(failed.filter(({ code }) => code === 'seal_broken')).toEqual([{ id: 'step/moved/call', code: 'seal_broken' }])
  expect(new Set(await finished.sealingKeys())).toEqual(new Set([lost.id, older.id, newer.id]))
})

test('credentials are resealed too, and nothing else of a connection changes', async () => {
  const accounts = memoryConnections()
  for (let index = 0; index < 120; index++) await accounts.put(await connected(before, `p${index}`))
  const kept = await accounts.get(localParticipant, 'p7')
  const { resealed, failed } = await resealAll({ ...others, elicitations: emptyStore(), connections: accounts, vault })

  expect({ resealed, failed }).toEqual({ resealed: 120, failed: [] })
  expect(await accounts.sealingKeys()).toEqual([newer.id])
  const after = await accounts.get(localParticipant, 'p7')
  if (kept === undefined || after === undefined) return expect.unreachable()
  expect(await vault.open(after.sealed, credentialIdentity(after))).toBe('credential at p7')
  expect({ ...after, version: kept.version, sealed: kept.sealed }).toEqual(kept)
})

test('a credential that cannot be opened is reported and left, and the rest is resealed', async () => {
  const accounts = memoryConnections()
  const elsewhere = createVault(envKeys(formatKey(lost)))
  for (let index = 0; index < 150; index++) await accounts.put(await connected(elsewhere, `lost${index}`))
  const moved = { ...(await connected(before, 'moved')), id: 'another' }
  await accounts.put(moved)
  for (let index = 0; index < 20; index++) await accounts.put(await connected(before, `fine${index}`))

  const { resealed, failed } = await resealAll({ ...others, elicitations: emptyStore(), connections: accounts, vault })
  expect(resealed).toBe(20)
  expect(failed.filter(({ code }) => code === 'key_missing')).toHaveLength(150)
  const broken = { id: 'connection/local/moved/another', code: 'seal_broken' }
  expect(failed.filter(({ code }) => code === 'seal_broken')).toEqual([broken])
  expect(await accounts.get(localParticipant, 'moved')).toEqual(moved)
})

test('a credential that was renewed meanwhile is not overwritten', async () => {
  const accounts = memoryConnections()
  const old = await connected(before, 'github')
  await accounts.put(old)
  const renewed = { ...(await connected(vault, 'github')), version: 2 }
  const { resealed, failed } = await resealAll({
    vault,
    ...others,
    elicitations: emptyStore(),
    connections: {
      ...accounts,
      saveIfUnchanged: async (next) => {
        await accounts.saveIfUnchanged(renewed)
        return accounts.saveIfUnchanged(next)
      },
    },
  })
  expect({ resealed, failed }).toEqual({ resealed: 0, failed: [] })
  expect(await accounts.get(localParticipant, 'github')).toEqual(renewed)
})

async function connected(sealer: Vault, provider: string): Promise<Connection> {
  const named = { participant: localParticipant, provider, id: `connection at ${provider}` }
  return {
    ...named,
    version: 1,
    scopes: ['read'],
    standing: 'doubted',
    sealed: await sealer.seal(`credential at ${provider}`, credentialIdentity(named)),
    expiresAt: at,
    renewable: true,
    obtained: { at, by: 'consent' },
    account: 'alice',
    connectedAt: at,
  }
}

async function stepsOf(sealer: Vault, count: number, name = 'w'): Promise<StepStore> {
  const store = memorySteps()
  await fillSteps(store, sealer, count, name)
  return store
}

async function fillSteps(store: StepStore, sealer: Vault, count: number, name: string): Promise<void> {
  for (let index = 0; index < count; index++) {
    const key = { walkId: `${name}${index}`, name: 'call' }
    await store.claim(key, at)
    await store.finish(key, await sealer.seal(`result of ${key.walkId}`, stepIdentity(key)))
  }
}

/** The two methods of a store that resealing needs, and access to its records. */
interface FakeStore {
  listSealedExcept(key: string, limit: number): Promise<Elicitation[]>
  saveIfUnchanged(next: Elicitation): Promise<boolean>
  get(id: ElicitationId): Elicitation | undefined
  put(elicitation: Elicitation): void
  delete(id: ElicitationId): void
  all(): Elicitation[]
}

function emptyStore(): FakeStore {
  const kept = new Map<ElicitationId, Elicitation>()
  return {
    listSealedExcept: async (key, limit) =>
      [...kept.values()].filter((elicitation) => sealOf(elicitation).key !== key).slice(0, limit),
    saveIfUnchanged: async (next) => {
      if (kept.get(next.id)?.version !== next.version - 1) return false
      kept.set(next.id, next)
      return true
    },
    get: (id) => kept.get(id),
    put: (elicitation) => kept.set(elicitation.id, elicitation),
    delete: (id) => kept.delete(id),
    all: () => [...kept.values()],
  }
}

async function storeOf(sealer: Vault, count: number, name = 'e'): Promise<FakeStore> {
  const store = emptyStore()
  await fill(store, sealer, count, name)
  return store
}

async function fill(store: FakeStore, sealer: Vault, count: number, name: string): Promise<void> {
  for (let index = 0; index < count; index++) store.put(await sealed(sealer, `${name}${index}`))
}

async function sealed(sealer: Vault, name: string, identity?: string): Promise<Elicitation> {
  const id = name as ElicitationId
  return answeredWith(id, await sealer.seal(`secret of ${id}`, identity ?? answerIdentity({ id })))
}

function answeredWith(id: ElicitationId, seal: Sealed): Elicitation {
  return {
    id,
    version: 2,
    question: { mode: 'url', message: 'Your key, please', url: 'https://assent.example/elicit/1' },
    purpose: 'secret',
    origin: { server: 'stripe' },
    requester: localRequester,
    answerers: { anyOf: [localParticipant], through: 'page' },
    identity: id,
    metadata: {},
    createdAt: at,
    expiresAt: at,
    state: {
      kind: 'answered',
      answer: { action: 'accept', sealed: seal },
      by: { participant: localParticipant, via: 'page' },
      at,
    },
  }
}

function sealOf({ state }: Elicitation): Sealed {
  if (state.kind === 'answered' && 'sealed' in state.answer) return state.answer.sealed
  throw new Error('not sealed')
}

function withSeal(elicitation: Elicitation, seal: Sealed): Elicitation {
  const { state } = elicitation
  if (state.kind !== 'answered') throw new Error('not answered')
  return { ...elicitation, state: { ...state, answer: { action: 'accept', sealed: seal } } }
}
