import type { Holding, HoldingStore } from '../../../instance/holding.ts'
import type { Instance, InstanceStore } from '../../../instance/instance.ts'
import type { KeptSession, KeptSessionStore } from '../../../instance/kept-session.ts'
import type { Mail, MailboxStore } from '../../../instance/mailbox.ts'
import { mailChange, type Watchers } from '../../watchers.ts'

/** Stores instances in memory. */
export function memoryInstances(): InstanceStore {
  const kept = new Map<string, Instance>()
  return {
    async announce(instance) {
      kept.set(instance.id, instance)
    },
    async list() {
      const order = (one: Instance, other: Instance) =>
        one.startedAt.getTime() - other.startedAt.getTime() || (one.id < other.id ? -1 : 1)
      return [...kept.values()].sort(order)
    },
    async remove(id) {
      kept.delete(id)
    },
    async deleteUnseen(moment, limit) {
      const old = [...kept.values()].filter(({ seenAt }) => seenAt < moment).slice(0, limit)
      for (const { id } of old) kept.delete(id)
      return old.length
    },
  }
}

/** Stores mail between instances in memory. */
export function memoryMailbox(watchers: Watchers): MailboxStore {
  let kept: Mail[] = []
  return {
    async put(mail, most) {
      if (kept.filter(({ to }) => to === mail.to).length >= most) return false
      kept.push(mail)
      watchers.notify(mailChange(mail.to))
      return true
    },
    async take(address, limit, read) {
      kept = kept.filter(({ to, id }) => to !== address || !read.includes(id))
      return kept.filter(({ to }) => to === address).slice(0, limit)
    },
    watch: (to, came) => watchers.add(mailChange(to), came),
    async deleteMail(moment, limit) {
      const old = kept.filter(({ at }) => at < moment).slice(0, limit)
      kept = kept.filter((mail) => !old.includes(mail))
      return old.length
    },
  }
}

/** Stores what changed in sessions in memory. */
export function memorySessions(): KeptSessionStore {
  const kept = new Map<string, KeptSession>()
  return {
    async get(key) {
      return kept.get(key)
    },
    async save(change) {
      kept.set(change.key, { ...(kept.get(change.key) ?? { isRevoked: false }), ...change })
    },
    async deleteExpired(moment, limit) {
      const old = [...kept.values()].filter(({ expiresAt }) => expiresAt < moment).slice(0, limit)
      for (const { key } of old) kept.delete(key)
      return old.length
    },
  }
}

/** Stores who holds sessions with upstreams in memory. */
export function memoryHoldings(): HoldingStore {
  const kept = new Map<string, Holding>()
  return {
    async get(key) {
      return kept.get(key)
    },
    async saveIfUnchanged(next) {
      if ((kept.get(next.key)?.version ?? 0) !== next.version - 1) return false
      kept.set(next.key, next)
      return true
    },
    async deleteExpired(moment, limit) {
      const old = [...kept.values()].filter(({ expiresAt }) => expiresAt < moment).slice(0, limit)
      for (const { key } of old) kept.delete(key)
      return old.length
    },
  }
}
