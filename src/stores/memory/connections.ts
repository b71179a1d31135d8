import type { Connection } from '../../connection/connection.ts'
import type { Flow } from '../../connection/flow/flow.ts'
import type { ConnectionStore } from '../../connection/store.ts'
import { AlreadyStored } from '../errors.ts'

const keyOf = ({ participant, provider }: Pick<Connection, 'participant' | 'provider'>) =>
  JSON.stringify([participant, provider])

/** Stores connections and flows in memory. */
export function memoryConnections(): ConnectionStore {
  const kept = new Map<string, Connection>()
  const flows = new Map<string, Flow>()

  const all = () => [...kept.values()]
  const of = (participant: Connection['participant']) => all().filter((one) => one.participant === participant)

  function removeFlows(over: readonly Flow[]): number {
    for (const { id } of over) flows.delete(id)
    return over.length
  }

  return {
    async get(participant, provider) {
      return kept.get(keyOf({ participant, provider }))
    },
    async list(participant) {
      return of(participant).sort((a, b) => (a.provider < b.provider ? -1 : 1))
    },
    async listAll(limit) {
      return all().slice(0, limit)
    },
    async put(connection) {
      kept.set(keyOf(connection), connection)
    },
    async saveIfUnchanged(next) {
      const before = kept.get(keyOf(next))
      if (before?.id !== next.id || before.version !== next.version - 1) return false
      kept.set(keyOf(next), next)
      return true
    },
    async remove(connection) {
      return kept.get(keyOf(connection))?.id === connection.id && kept.delete(keyOf(connection))
    },
    async listSealedExcept(key, limit) {
      return all()
        .filter(({ sealed }) => sealed.key !== key)
        .slice(0, limit)
    },
    async sealingKeys() {
      return [...new Set([...all(), ...flows.values()].map(({ sealed }) => sealed.key))]
    },
    async forget(participant) {
      removeFlows([...flows.values()].filter((flow) => flow.participant === participant))
      const mine = of(participant)
      for (const connection of mine) kept.delete(keyOf(connection))
      return mine.length
    },

    async addFlow(flow) {
      if (flows.has(flow.id)) throw new AlreadyStored('flow')
      flows.set(flow.id, flow)
    },
    async takeFlow(id) {
      const flow = flows.get(id)
      flows.delete(id)
      return flow
    },
    async deleteFlows(moment, limit) {
      return removeFlows([...flows.values()].filter(({ expiresAt }) => expiresAt < moment).slice(0, limit))
    },
  }
}
