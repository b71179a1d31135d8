import { deepEqual, equal } from 'node:assert/strict'
import type { Holding } from '../../instance/holding.ts'
import type { Instance } from '../../instance/instance.ts'
import type { Mail } from '../../instance/mailbox.ts'
import type { Store } from '../../stores/store.ts'
import type { ContractTest } from './contract-test.ts'

const at = new Date('2026-01-01T00:00:00.000Z')
const later = (ms: number) => new Date(at.getTime() + ms)
const many = 1_000
const timeoutMs = 5_000

const instance = (id: string, more: Partial<Instance> = {}): Instance => ({
  id,
  startedAt: at,
  seenAt: at,
  aheadMs: 0,
  isStopping: false,
  ...more,
})

const mail = (id: string, more: Partial<Mail> = {}): Mail => ({
  id,
  to: 'a',
  at,
  content: { key: 'k1', box: `box of ${id}` },
  ...more,
})

const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id)

const holding = (more: Partial<Holding> = {}): Holding => ({
  key: 'h',
  holder: 'a',
  version: 1,
  expiresAt: at,
  ...more,
})

/** Resolves when the store says that mail came. */
function mailCame(store: Store, to: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const tooLong = setTimeout(() => reject(new Error(`Nobody was told of mail for ${to}.`)), timeoutMs)
    const stop = store.mailbox.watch(to, () => {
      clearTimeout(tooLong)
      stop()
      resolve()
    })
  })
}

const contractTest = (name: string, run: (store: Store) => Promise<void>): ContractTest => ({
  name,
  run: ({ store }) => run(store),
})

export const instanceContract: readonly ContractTest[] = [
  contractTest('instances: each is kept as it said last, in the order of starting', async ({ instances }) => {
    await instances.announce(instance('b', { startedAt: later(1) }))
    await instances.announce(instance('c'))
    await instances.announce(instance('a', { aheadMs: -1_500 }))
    const said = instance('c', { seenAt: later(5), aheadMs: 120_000, isStopping: true })
    await instances.announce(said)
    deepEqual(await instances.list(), [
      instance('a', { aheadMs: -1_500 }),
      said,
      instance('b', { startedAt: later(1) }),
    ])
    await instances.remove('a')
    await instances.remove('never')
    deepEqual(ids(await instances.list()), ['c', 'b'])
  }),
  contractTest('instances: those unseen since a moment are deleted', async ({ instances }) => {
    await instances.announce(instance('a'))
    await instances.announce(instance('b', { seenAt: later(1) }))
    equal(await instances.deleteUnseen(at, many), 0)
    equal(await instances.deleteUnseen(later(1), many), 1)
    deepEqual(ids(await instances.list()), ['b'])
  }),
  contractTest('mailbox: mail is kept exactly, in the order of putting, until it was read', async ({ mailbox }) => {
    for (const id of ['3', '1', '2']) equal(await mailbox.put(mail(id), many), true)
    await mailbox.put(mail('other', { to: 'b' }), many)
    deepEqual(await mailbox.take('a', 2, []), [mail('3'), mail('1')])
    // The reply may have been lost.
    deepEqual(await mailbox.take('a', 2, []), [mail('3'), mail('1')])
    deepEqual(await mailbox.take('a', many, ['3', '1']), [mail('2')])
    deepEqual(await mailbox.take('a', many, ['2', '1', 'never']), [])
    deepEqual(await mailbox.take('never', many, ['other']), [])
    deepEqual(ids(await mailbox.take('b', many, [])), ['other'])
  }),
  contractTest('mailbox: a full one takes no more, and those of others are not affected', async ({ mailbox }) => {
    equal(await mailbox.put(mail('1'), 2), true)
    equal(await mailbox.put(mail('2'), 2), true)
    equal(await mailbox.put(mail('3'), 2), false)
    equal(await mailbox.put(mail('4', { to: 'b' }), 2), true)
    deepEqual(ids(await mailbox.take('a', many, [])), ['1', '2'])
    deepEqual(ids(await mailbox.take('a', many, ['1', '2'])), [])
    equal(await mailbox.put(mail('5'), 2), true)
  }),
  contractTest('mailbox: old mail is deleted', async ({ mailbox }) => {
    await mailbox.put(mail('old'), many)
    await mailbox.put(mail('new', { at: later(1) }), many)
    equal(await mailbox.deleteMail(later(1), many), 1)
    deepEqual(ids(await mailbox.take('a', many, [])), ['new'])
  }),
  {
    name: 'mailbox: the one it is for is woken, in another process too',
    async run({ store, reopen }) {
      const woken = mailCame(store, 'a')
      await store.mailbox.put(mail('1'), many)
      await woken
      if (reopen === undefined) return
      const other = await reopen()
      try {
        const elsewhere = mailCame(other, 'b')
        await store.mailbox.put(mail('2', { to: 'b' }), many)
        await elsewhere
        deepEqual(ids(await other.mailbox.take('b', many, [])), ['2'])
      } finally {
        await other.close()
      }
    },
  },
  contractTest(
    'sessions: what is given is written over what is kept, and revoked stays revoked',
    async ({ sessions }) => {
      equal(await sessions.get('s'), undefined)
      await sessions.save({ key: 's', expiresAt: at, level: 'debug' })
      await sessions.save({ key: 's', expiresAt: at, stream: 'a' })
      deepEqual(await sessions.get('s'), { key: 's', isRevoked: false, level: 'debug', stream: 'a', expiresAt: at })
      await sessions.save({ key: 's', expiresAt: at, isRevoked: true })
      await sessions.save({ key: 's', expiresAt: later(1), level: 'error' })
      deepEqual(await sessions.get('s'), {
        key: 's',
        isRevoked: true,
        level: 'error',
        stream: 'a',
        expiresAt: later(1),
      })
      equal(await sessions.get('t'), undefined)
    },
  ),
  contractTest('sessions: those whose id opens nothing any more are deleted', async ({ sessions }) => {
    await sessions.save({ key: 's', expiresAt: at, isRevoked: true })
    await sessions.save({ key: 't', expiresAt: later(1), isRevoked: true })
    equal(await sessions.deleteExpired(later(1), many), 1)
    equal(await sessions.get('s'), undefined)
    equal((await sessions.get('t'))?.isRevoked, true)
  }),
  contractTest('holdings: what is saved is kept exactly, and only over the version before', async ({ holdings }) => {
    equal(await holdings.get('h'), undefined)
    equal(await holdings.saveIfUnchanged(holding({ version: 2 })), false)
    equal(await holdings.saveIfUnchanged(holding()), true)
    equal(await holdings.saveIfUnchanged(holding({ holder: 'late' })), false)
    deepEqual(await holdings.get('h'), holding())
    const next = holding({ holder: 'b', resume: { key: 'k', box: 'sealed' }, version: 2, expiresAt: later(1) })
    equal(await holdings.saveIfUnchanged(next), true)
    equal(await holdings.saveIfUnchanged(next), false)
    deepEqual(await holdings.get('h'), next)
    equal(await holdings.saveIfUnchanged(holding({ version: 3 })), true)
    deepEqual(await holdings.get('h'), holding({ version: 3 }))
  }),
  contractTest('holdings: of many who take hold at once, one does', async ({ holdings }) => {
    const holders = Array.from({ length: 20 }, (_, number) => String(number))
    const saved = await Promise.all(holders.map((holder) => holdings.saveIfUnchanged(holding({ holder }))))
    equal(saved.filter(Boolean).length, 1)
    equal((await holdings.get('h'))?.holder, holders[saved.indexOf(true)])
  }),
  contractTest('holdings: expired ones are deleted', async ({ holdings }) => {
    await holdings.saveIfUnchanged(holding())
    await holdings.saveIfUnchanged(holding({ key: 'i', expiresAt: later(1) }))
    equal(await holdings.deleteExpired(later(1), many), 1)
    equal(await holdings.get('h'), undefined)
    equal((await holdings.get('i'))?.holder, 'a')
  }),
]
