import { deepEqual, equal, rejects } from 'node:assert/strict'
import type { AuditEvent, ChainId, Pseudonym } from '../../audit/event.ts'
import type { AuditStore } from '../../audit/store.ts'
import { alice, bob } from '../elicitations.ts'
import type { ContractTest } from './contract-test.ts'

const [chainA, chainB] = ['chain-a', 'chain-b'] as [ChainId, ChainId]
const minute = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes))

function event(chain: ChainId, seq: number, over: Partial<AuditEvent> = {}): AuditEvent {
  return {
    chain,
    seq,
    at: minute(seq),
    kind: 'tried',
    data: {},
    prev: `mac ${chain} ${seq - 1}`,
    mac: `mac ${chain} ${seq}`,
    ...over,
  }
}

const events = (chain: ChainId, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => event(chain, from + index))

const contractTest = (name: string, run: (store: AuditStore) => Promise<void>): ContractTest => ({
  name: `audit: ${name}`,
  run: ({ store }) => run(store.audit),
})

export const auditContract: readonly ContractTest[] = [
  contractTest('events come back exactly, in order, page by page', async (store) => {
    const full = event(chainA, 2, {
      who: 'p-1' as Pseudonym,
      about: 'é 𝄞',
      data: { a: [null, 1.5, { b: '\u0000' }] },
      kept: { salt: 's', value: { path: '/etc' } },
      keptDigest: 'd',
    })
    await store.append([event(chainA, 1), full])
    await store.append([event(chainA, 3)])
    deepEqual(await store.read(chainA, 0, 2), [event(chainA, 1), full])
    deepEqual(await store.read(chainA, 2, 2), [event(chainA, 3)])
    deepEqual(await store.read(chainB, 0, 2), [])
  }),
  contractTest('a batch is stored as a whole or not at all', async (store) => {
    await store.append([event(chainA, 1)])
    await rejects(store.append([event(chainA, 2), event(chainA, 1), event(chainA, 3)]))
    deepEqual(await store.read(chainA, 0, 9), [event(chainA, 1)])
    await store.append([event(chainA, 2)])
  }),
  contractTest('heads are the last events of the chains, the most recently written first', async (store) => {
    deepEqual(await store.heads(9), [])
    await store.append(events(chainA, 1, 3))
    await store.append(events(chainB, 1, 2))
    await store.append(events(chainA, 4, 4))
    const a = { chain: chainA, seq: 4, mac: 'mac chain-a 4' }
    const b = { chain: chainB, seq: 2, mac: 'mac chain-b 2' }
    deepEqual(await store.heads(9), [a, b])
    deepEqual(await store.heads(1), [a])
  }),
  contractTest('a pruned chain keeps its anchor and its position, also if no event is left', async (store) => {
    await store.append(events(chainA, 1, 3))
    await store.append(events(chainB, 1, 1))
    deepEqual(await store.chains(), [{ chain: chainA }, { chain: chainB }])
    const anchor = { chain: chainA, seq: 2, mac: 'mac chain-a 2', anchorMac: 'x' }
    equal(await store.prune(anchor), 2)
    deepEqual(await store.read(chainA, 0, 9), [event(chainA, 3)])
    deepEqual(await store.chains(), [{ chain: chainA, anchor }, { chain: chainB }])
    const last = { chain: chainA, seq: 3, mac: 'mac chain-a 3', anchorMac: 'y' }
    equal(await store.prune(last), 1)
    deepEqual(await store.chains(), [{ chain: chainA, anchor: last }, { chain: chainB }])
    deepEqual(await store.heads(9), [{ chain: chainB, seq: 1, mac: 'mac chain-b 1' }])
    // A process that was slower does not move it back.
    equal(await store.prune(anchor), 0)
    deepEqual(await store.chains(), [{ chain: chainA, anchor: last }, { chain: chainB }])
  }),
  contractTest('a participant has one pseudonym until it is deleted, also with concurrent requests', async (store) => {
    const candidates = Array.from({ length: 20 }, (_, index) => `p-${index}` as Pseudonym)
    const given = await Promise.all(candidates.map((candidate) => store.pseudonymFor(alice, candidate)))
    equal(new Set(given).size, 1)
    equal(await store.findPseudonym(alice), given[0])
    equal(await store.findPseudonym(bob), undefined)
    await store.deletePseudonym(alice)
    equal(await store.findPseudonym(alice), undefined)
    equal(await store.pseudonymFor(alice, 'p-new' as Pseudonym), 'p-new')
  }),
  contractTest('values kept in full are erased for one participant and stay for others', async (store) => {
    const [who, other] = ['p-1', 'p-2'] as [Pseudonym, Pseudonym]
    const kept = { kept: { salt: 's', value: { a: 1 } }, keptDigest: 'd' }
    await store.append([
      event(chainA, 1, { who, ...kept }),
      event(chainA, 2, { who: other, ...kept }),
      event(chainA, 3, { who }),
    ])
    equal(await store.eraseKept(who), 1)
    deepEqual(await store.read(chainA, 0, 9), [
      event(chainA, 1, { who, keptDigest: 'd' }),
      event(chainA, 2, { who: other, ...kept }),
      event(chainA, 3, { who }),
    ])
  }),
  contractTest('there is one audit key, also when several are added at once', async (store) => {
    equal(await store.findKey(), undefined)
    const candidates = Array.from({ length: 20 }, (_, index) => ({ key: 'k', box: `${index}` }))
    const given = await Promise.all(candidates.map((candidate) => store.keyFor(candidate)))
    equal(new Set(given.map(({ box }) => box)).size, 1)
    const [first] = given as [{ key: string; box: string }]
    const next = { key: 'k2', box: 'next' }
    equal(await store.replaceKey({ key: 'k', box: 'other' }, next), false)
    equal(await store.replaceKey(first, next), true)
    equal(await store.replaceKey(first, next), false)
    deepEqual(await store.findKey(), next)
  }),
]
