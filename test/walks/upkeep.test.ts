import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { stepIdentity } from '../../src/call/step.ts'
import { type Assent, createAssent } from '../../src/index.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { keyFile } from '../../src/vault/key-file.ts'
import { envKeys, formatKey, makeKey } from '../../src/vault/keys.ts'
import { createVault } from '../../src/vault/vault.ts'
import { alice, anAsk, aSecretAsk, bob, onPage } from '../support/asks.ts'
import { anAssent, everyAssent } from '../support/assents.ts'
import { serverStores } from '../support/stores.ts'
import { temporaryFolder } from '../support/temporary.ts'

const key = (apiKey: string) => ({ action: 'accept', content: { apiKey } }) as const

async function keepKey(assent: Assent, apiKey: string, about = apiKey): Promise<void> {
  const { elicitation } = await assent.ask(aSecretAsk({ about }))
  await assent.answer(elicitation.id, onPage(alice), key(apiKey))
}

async function exported(assent: Assent): Promise<string> {
  const lines: string[] = []
  for await (const line of assent.exportAudit()) lines.push(line)
  return lines.join('')
}

describe('keys', () => {
  test('rotate in the key file while another process goes on with what it has', async () => {
    const store = `sqlite:${join(await temporaryFolder(), 'assent.db')}`
    const [one, other] = [await createAssent({ store, keys: '' }), await createAssent({ store, keys: '' })]
    await keepKey(one, 'sk_1')
    const [before] = await one.keys.list()
    const rotated = await one.keys.rotate()
    expect(rotated).toMatchObject({ resealed: 1, failed: [] })
    expect(await other.keys.list()).toEqual([
      { id: rotated.key, seals: true, inUse: true },
      { id: before?.id, seals: false, inUse: false },
    ])
    expect(await other.find(alice, 'api-key-stripe')).toMatchObject({ data: { apiKey: 'sk_1' } })
    await keepKey(other, 'sk_2')
    expect(await one.find(alice, 'api-key-stripe')).toMatchObject({ data: { apiKey: 'sk_2' } })

    await expect(one.keys.drop(rotated.key)).rejects.toMatchObject({ code: 'key_in_use' })
    await one.keys.drop(before?.id ?? '')
    expect(await other.keys.list()).toHaveLength(1)
    await Promise.all([one.close(), other.close()])

    const again = await anAssent({ store, keys: '' })
    expect(await again.find(alice, 'api-key-stripe')).toMatchObject({ data: { apiKey: 'sk_2' } })
    expect(await again.verifyAudit()).toMatchObject({ found: 0 })
  })

  test.each(Object.entries(serverStores))(
    'from the environment rotate to the first of them, and are dropped there (%s)',
    async (_, address) => {
      const url = await address()
      const [old, fresh] = [formatKey(makeKey()), formatKey(makeKey())]
      const first = await createAssent({ store: url, keys: old })
      await keepKey(first, 'sk_1')
      await first.close()
      const second = await createAssent({ store: url, keys: `${fresh},${old}` })
      const [freshId = ''] = fresh.split(':')
      expect(await second.keys.rotate()).toEqual({ key: freshId, resealed: 1, failed: [] })
      await expect(second.keys.drop(freshId)).rejects.toThrow('Remove the key there')
      await second.close()
      const third = await createAssent({ store: url, keys: fresh })
      expect(await third.find(alice, 'api-key-stripe')).toMatchObject({ data: { apiKey: 'sk_1' } })
      expect(await third.verifyAudit()).toMatchObject({ found: 0 })
      await third.close()
    },
  )

  test('that only the result of a step needs are in use, and no longer once it is sealed anew', async () => {
    const store = `sqlite:${join(await temporaryFolder(), 'assent.db')}`
    const assent = await anAssent({ store, keys: '' })
    await assent.keys.rotate()
    const [, old] = await assent.keys.list()
    const { byId } = await keyFile(`${store.slice('sqlite:'.length)}.keys`).keys()
    const oldKey = byId.get(old?.id ?? '')
    if (oldKey === undefined) return expect.unreachable()
    const vault = createVault(envKeys(formatKey(oldKey)))
    const step = { walkId: 'w', name: 'call' }
    await assent.store.steps.claim(step, new Date('2199-01-01'))
    await assent.store.steps.finish(step, await vault.seal('done', stepIdentity(step)))

    await expect(assent.keys.drop(oldKey.id)).rejects.toMatchObject({ code: 'key_in_use' })
    expect(await assent.keys.rotate()).toMatchObject({ resealed: 1, failed: [] })
    await assent.keys.drop(oldKey.id)
  })

  test('that are lost stop the start, with the remedy, and nothing is overwritten', async () => {
    const store = `sqlite:${join(await temporaryFolder(), 'assent.db')}`
    const first = await createAssent({ store, keys: formatKey(makeKey()) })
    await keepKey(first, 'sk_1')
    await first.close()
    await expect(createAssent({ store, keys: formatKey(makeKey()) })).rejects.toMatchObject({
      code: 'key_missing',
      message: expect.stringContaining('Put it back'),
    })
  })

  test('are asked for by name where machines share the store', async () => {
    await expect(createAssent({ store: 'postgres://127.0.0.1:1/x', keys: '' })).rejects.toMatchObject({
      code: 'bad_keys',
      message: expect.stringContaining('ASSENT_KEYS'),
    })
  })
})

describe.each(everyAssent)('forgetting somebody ($name)', ({ assent }) => {
  test('deletes what was theirs, leaves what was others’, and the audit stays whole without leading to them', async () => {
    const one = await assent()
    await keepKey(one, 'sk_1')
    const bobs = await one.ask(anAsk({ requester: { participant: bob, client: 'c' } }))
    const { elicitation } = await one.ask(anAsk())
    expect(await one.forget(alice)).toEqual({ deletedQuestions: 2, deletedConnections: 0, deletedGrants: 0 })
    expect(await one.find(alice, 'api-key-stripe')).toBeUndefined()
    expect(await one.get(elicitation.id)).toBeUndefined()
    expect((await one.get(bobs.elicitation.id))?.state.kind).toBe('open')
    expect(await one.verifyAudit()).toMatchObject({ found: 0 })
    expect(await exported(one)).not.toContain('alice')
    expect(await one.store.audit.findPseudonym(alice)).toBeUndefined()
    expect(await one.forget(alice)).toEqual({ deletedQuestions: 0, deletedConnections: 0, deletedGrants: 0 })
  })

  test('wakes whoever waits for them', async () => {
    const one = await assent()
    const { elicitation } = await one.ask(anAsk())
    const waiting = expect(one.wait(elicitation.id)).rejects.toMatchObject({ code: 'not_found' })
    // Longer than it takes to look at the file once: the waiter sleeps by now.
    await sleep(300)
    await one.forget(alice)
    await waiting
  })
})

test('forgetting somebody deletes what they answered before their grants, which could be made from it again', async () => {
  const store = openMemoryStore()
  const open: number[] = []
  const grants = {
    ...store.grants,
    async forget(participant: typeof alice) {
      open.push((await store.elicitations.listAllOpen(10)).length)
      return store.grants.forget(participant)
    },
  }
  const assent = await anAssent({ store: { ...store, grants } })
  await assent.ask(anAsk())
  await assent.forget(alice)
  expect(open).toEqual([0])
})

test('a clock that is wrong is told in passing, once an hour', async () => {
  const store = openMemoryStore()
  const clock = fixedClock()
  const wrong = { ...store.clock, machineAheadMs: () => -60_000 }
  const assent = await anAssent({ store: { ...store, clock: wrong }, clock, clocks: { tidy: 5 } })
  const told: string[] = []
  assent.events.listen((news) => void (news.kind === 'clock-wrong' && told.push(news.problem)))
  await expect.poll(() => told).toEqual([assent.clockProblem()])
  expect(told[0]).toContain('60 s behind')
  await sleep(50)
  expect(told).toHaveLength(1)
  clock.advance(3_600_000)
  await expect.poll(() => told).toHaveLength(2)
})

describe('what is old', () => {
  test('is deleted from the audit, which still verifies, also against what was exported before', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock, retain: { audit: '1d' } })
    await keepKey(assent, 'sk_1')
    const { heads } = await assent.verifyAudit()
    clock.advance(2 * 86_400_000)
    await keepKey(assent, 'sk_2')
    expect((await assent.tidy()).deletedEvents).toBeGreaterThan(2)
    expect(await assent.verifyAudit(heads)).toMatchObject({ found: 0 })
  })

  test('is forgotten when it was a step: all that nobody will ask for again, and no other', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock })
    const { steps } = assent.store
    const soon = new Date(clock.now().getTime() + 60_000)
    for (let n = 0; n < 620; n++) await steps.claim({ walkId: `${n}`, name: 'call' }, soon)
    const later = { walkId: 'later', name: 'call' }
    await steps.claim(later, new Date(soon.getTime() + 60_000))
    clock.advance(60_000)
    expect(await assent.tidy()).toMatchObject({ deletedSteps: 0 })
    clock.advance(1)
    expect(await assent.tidy()).toMatchObject({ deletedSteps: 620 })
    expect(await steps.claim(later, soon)).toEqual({ kind: 'begun' })
  })

  test('is tidied away in passing, again and again, also after the store was down once', async () => {
    const clock = fixedClock()
    const assent = await anAssent({
      clock,
      clocks: { tidy: 10, question: '1m' },
      retain: { audit: '1d', settled: '1d' },
    })
    const { listDue } = assent.store.elicitations
    let failures = 1
    assent.store.elicitations.listDue = (...args) =>
      failures-- > 0 ? Promise.reject(new Error('down')) : listDue(...args)
    const { elicitation } = await assent.ask(anAsk())
    clock.advance(120_000)
    await expect.poll(async () => (await assent.store.elicitations.get(elicitation.id))?.state.kind).toBe('expired')
    clock.advance(3 * 86_400_000)
    await expect.poll(() => assent.store.elicitations.get(elicitation.id)).toBeUndefined()
    expect(await assent.verifyAudit()).toMatchObject({ found: 0 })
  })
})
