import type { ElicitationId } from '../elicitation/elicitation.ts'

/** What is watched for the mail of an instance, beside the ids of questions. */
export const mailChange = (to: string): ElicitationId => `mail:${to}` as ElicitationId

/** The listeners of this process, by elicitation. */
export interface Watchers {
  /** Returns a function that removes the listener. */
  add(id: ElicitationId, changed: () => void): () => void
  notify(id: ElicitationId): void
  notifyAll(): void
  ids(): ElicitationId[]
  isEmpty(): boolean
}

export function createWatchers(): Watchers {
  const watched = new Map<ElicitationId, Set<() => void>>()
  const notify = (id: ElicitationId) => {
    for (const changed of watched.get(id) ?? []) changed()
  }
  return {
    add(id, changed) {
      const all = watched.get(id) ?? new Set()
      // Wrapped, because the same function may be added twice and must then be removed twice.
      const listener = () => changed()
      watched.set(id, all.add(listener))
      return () => {
        all.delete(listener)
        if (all.size === 0 && watched.get(id) === all) watched.delete(id)
      }
    },
    notify,
    notifyAll: () => [...watched.keys()].forEach(notify),
    ids: () => [...watched.keys()],
    isEmpty: () => watched.size === 0,
  }
}
