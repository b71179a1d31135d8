import { deepEqual, equal } from 'node:assert/strict'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { Store } from '../../stores/store.ts'
import { anElicitation, answered, limitedTo } from '../elicitations.ts'
import type { ContractTest } from './contract-test.ts'

const timeoutMs = 5_000

/** Resolves when the store reports a change of this elicitation. */
function notified(store: Store, id: ElicitationId): Promise<void> {
  return new Promise((resolve, reject) => {
    const tooLong = setTimeout(() => reject(new Error(`No change was reported for ${id}.`)), timeoutMs)
    const unwatch = store.changes.watch(id, () => {
      clearTimeout(tooLong)
      unwatch()
      resolve()
    })
  })
}

export const changesContract: readonly ContractTest[] = [
  {
    name: 'changes: a watcher is called when the question is settled',
    async run({ store }) {
      const [asked, other] = [anElicitation(), anElicitation()]
      await store.elicitations.add(asked, limitedTo(10))
      await store.elicitations.add(other, limitedTo(10))
      const [first, second] = [notified(store, asked.id), notified(store, asked.id)]
      let stray = 0
      const unwatch = store.changes.watch(asked.id, () => stray++)
      unwatch()
      await store.elicitations.saveIfUnchanged(answered(asked))
      await Promise.all([first, second])
      equal(stray, 0)
    },
  },
  {
    name: 'changes: a watcher in another process is called when the question is settled',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      const other = await reopen()
      try {
        const asked = anElicitation()
        await store.elicitations.add(asked, limitedTo(10))
        const notice = notified(other, asked.id)
        const next = answered(asked)
        await store.elicitations.saveIfUnchanged(next)
        await notice
        deepEqual(await other.elicitations.get(asked.id), next)
      } finally {
        await other.close()
      }
    },
  },
  {
    name: 'changes: everything is still there after reopening',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      const [open, settled] = [anElicitation(), anElicitation()]
      await store.elicitations.add(open, limitedTo(10))
      await store.elicitations.add(settled, limitedTo(10))
      await store.elicitations.saveIfUnchanged(answered(settled))
      await store.close()
      const reopened = await reopen()
      try {
        deepEqual(await reopened.elicitations.get(open.id), open)
        deepEqual(await reopened.elicitations.get(settled.id), answered(settled))
        equal(await reopened.elicitations.saveIfUnchanged(answered(open)), true)
      } finally {
        await reopened.close()
      }
    },
  },
]
