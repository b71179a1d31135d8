import type { AuditEvent, SpelledEvent } from './event.ts'
import type { AuditStore } from './store.ts'

/** Receives events that were stored. It must not throw, and nobody waits for it. */
export type Stored = (events: readonly (AuditEvent | SpelledEvent)[]) => void

/** The same store, which tells what it stored. */
export function tellStored(store: AuditStore, stored: Stored): AuditStore {
  const told: Pick<AuditStore, 'append' | 'appendAtOnce'> = {
    async append(events) {
      await store.append(events)
      stored(events)
    },
    appendAtOnce(events) {
      const isStored = store.appendAtOnce(events)
      if (isStored) stored(events)
      return isStored
    },
  }
  return new Proxy(store, {
    get(target, name) {
      if (name === 'append' || name === 'appendAtOnce') return told[name]
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
