import type { Passkey, PasskeyStore } from '../../passkey/passkey.ts'

/** Stores passkeys in memory. */
export function memoryPasskeys(): PasskeyStore {
  const kept = new Map<string, Passkey>()
  const all = () => [...kept.values()]

  return {
    async add(passkey) {
      if (kept.has(passkey.id) || all().some(({ credential }) => credential === passkey.credential)) {
        return false
      }
      kept.set(passkey.id, passkey)
      return true
    },
    async list(participant) {
      return all().filter((passkey) => passkey.participant === participant)
    },
    async listAll(limit, after) {
      const ids = [...kept.keys()]
      if (after !== undefined && !kept.has(after)) return []
      const from = after === undefined ? 0 : ids.indexOf(after) + 1
      return all().slice(from, from + limit)
    },
    async saveIfUnchanged(next) {
      const before = kept.get(next.id)
      if (before?.version !== next.version - 1) return false
      kept.set(next.id, next)
      return true
    },
    async remove(participant, id) {
      return kept.get(id)?.participant === participant && kept.delete(id)
    },
    async forget(participant) {
      const theirs = all().filter((passkey) => passkey.participant === participant)
      for (const { id } of theirs) kept.delete(id)
      return theirs.length
    },
  }
}
