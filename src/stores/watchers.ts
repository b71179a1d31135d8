import type { ElicitationId } from '../elicitation/elicitation.ts'

/** Who in this process waits for which elicitation. */
export interface Watchers {
  /** Returns how to stop. */
  add(id: ElicitationId, changed: () => void): () => void
  ring(id: ElicitationId): void
  ringAll(): void
  ids(): ElicitationId[]
  isEmpty(): boolean
}

export function createWatchers(): Watchers {
  const watched = new Map<ElicitationId, Set<() => void>>()
  const ring = (id: ElicitationId) => {
    for (const changed of watched.get(id) ?? []) changed()
  }
  return {
    add(id, changed) {
      const all = watched.get(id) ?? new Set()
      // One of its own for each: the same function may watch twice, and stop once.
      const mine = () => changed()
      watched.set(id, all.add(mine))
      return () => {
        all.delete(mine)
        if (all.size === 0 && watched.get(id) === all) watched.delete(id)
      }
    },
    ring,
    ringAll: () => [...watched.keys()].forEach(ring),
    ids: () => [...watched.keys()],
    isEmpty: () => watched.size === 0,
  }
}
