import { deepEqual, equal } from 'node:assert/strict'
import type { ElicitationId } from '../elicitation/elicitation.ts'
import type { Store } from '../stores/store.ts'
import { anElicitation, answered } from './elicitations.ts'
import type { Promised } from './promised.ts'

const patienceMs = 5_000

/** Resolves when the store rings for this id. */
function rung(store: Store, id: ElicitationId): Promise<void> {
  return new Promise((resolve, reject) => {
    const tooLong = setTimeout(() => reject(new Error(`Nobody rang for ${id}.`)), patienceMs)
    const unwatch = store.changes.watch(id, () => {
      clearTimeout(tooLong)
      unwatch()
      resolve()
    })
  })
}

export const changesContract: readonly Promised[] = [
  {
    name: 'changes: whoever watches is called when the question is settled',
    async run({ store }) {
      const [asked, other] = [anElicitation(), anElicitation()]
      await store.elicitations.add(asked, 10)
      await store.elicitations.add(other, 10)
      const [first, second] = [rung(store, asked.id), rung(store, asked.id)]
      let stray = 0
      const unwatch = store.changes.watch(asked.id, () => stray++)
      unwatch()
      await store.elicitations.saveIfUnchanged(answered(asked))
      await Promise.all([first, second])
      equal(stray, 0)
    },
  },
  {
    name: 'changes: one process settles, another is called',
    async run({ store, again }) {
      if (again === undefined) return
      const other = await again()
      try {
        const asked = anElicitation()
        await store.elicitations.add(asked, 10)
        const heard = rung(other, asked.id)
        const next = answered(asked)
        await store.elicitations.saveIfUnchanged(next)
        await heard
        deepEqual(await other.elicitations.get(asked.id), next)
      } finally {
        await other.close()
      }
    },
  },
  {
    name: 'changes: opened again, everything is still there',
    async run({ store, again }) {
      if (again === undefined) return
      const [open, settled] = [anElicitation(), anElicitation()]
      await store.elicitations.add(open, 10)
      await store.elicitations.add(settled, 10)
      await store.elicitations.saveIfUnchanged(answered(settled))
      await store.close()
      const reopened = await again()
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
