import type { Owned, OwnedStore } from '../../../participant/owned.ts'

/** Keeps records of one kind in memory. */
export function memoryOwned<One extends Owned>(): OwnedStore<One> {
  const kept = new Map<string, One>()
  const all = () => [...kept.values()]

  function removeAll(some: readonly One[]): number {
    for (const { id } of some) kept.delete(id)
    return some.length
  }

  return {
    async add(one) {
      if (kept.has(one.id) || all().some(({ key }) => key === one.key)) return false
      kept.set(one.id, one)
      return true
    },
    getByKey: async (wanted) => all().find(({ key }) => key === wanted),
    list: async (participant) => all().filter((one) => one.participant === participant),
    async listAll(limit, after) {
      if (after !== undefined && !kept.has(after)) return []
      const from = after === undefined ? 0 : [...kept.keys()].indexOf(after) + 1
      return all().slice(from, from + limit)
    },
    remove: async (participant, id) => kept.get(id)?.participant === participant && kept.delete(id),
    async deleteOver(moment, limit) {
      const over = all().filter(({ expiresAt }) => expiresAt < moment)
      return removeAll(over.slice(0, limit))
    },
    forget: async (participant) => removeAll(all().filter((one) => one.participant === participant)),
  }
}
