import type { Adapter } from 'oidc-provider'

type Payload = Record<string, unknown>

/** What an OAuth server keeps, in memory and its own, so that all of one account can be found. */
export interface Memory {
  adapter(model: string): Adapter
  /** Deletes everything that belongs to this account: consent, tokens, sessions. */
  forget(account: string): void
  /** Deletes everything of this model. */
  forgetModel(model: string): void
}

export function createMemory(): Memory {
  const kept = new Map<string, Payload>()

  const where = (fits: (payload: Payload, key: string) => boolean) =>
    [...kept].filter(([key, payload]) => fits(payload, key))

  return {
    adapter(model) {
      const key = (id: string) => `${model}:${id}`
      const findBy = async (name: string, value: string) =>
        where((payload, key) => key.startsWith(`${model}:`) && payload[name] === value)[0]?.[1]
      return {
        upsert: async (id, payload) => void kept.set(key(id), payload),
        find: async (id) => kept.get(key(id)),
        findByUid: (uid) => findBy('uid', uid),
        findByUserCode: (code) => findBy('userCode', code),
        async consume(id) {
          const payload = kept.get(key(id))
          if (payload) payload.consumed = Math.floor(Date.now() / 1_000)
        },
        destroy: async (id) => void kept.delete(key(id)),
        async revokeByGrantId(grantId) {
          for (const [key] of where((payload) => payload.grantId === grantId)) kept.delete(key)
        },
      }
    },
    forgetModel(model) {
      for (const [key] of where((_, key) => key.startsWith(`${model}:`))) kept.delete(key)
    },
    forget(account) {
      for (const [key] of where((payload) => payload.accountId === account)) kept.delete(key)
    },
  }
}
