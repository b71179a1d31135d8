import type { Registration, RegistrationStore } from '../../../connection/registration/registration.ts'
import type { DefinitionStore, KnownDefinition } from '../../../definition/known-definition.ts'

const keyOf = (...names: string[]) => JSON.stringify(names)

/** Stores registrations in memory. */
export function memoryRegistrations(): RegistrationStore {
  const kept = new Map<string, Registration>()
  const all = () => [...kept.values()]
  return {
    get: async (issuer, resource) => kept.get(keyOf(issuer, resource)),
    list: async (limit) => all().slice(0, limit),
    async saveIfUnchanged(next) {
      const key = keyOf(next.issuer, next.resource)
      if ((kept.get(key)?.version ?? 0) !== next.version - 1) return false
      kept.set(key, next)
      return true
    },
    async remove({ issuer, resource, clientId }) {
      const key = keyOf(issuer, resource)
      return kept.get(key)?.clientId === clientId && kept.delete(key)
    },
    listSealedExcept: async (key, limit) =>
      all()
        .filter(({ sealed }) => sealed.key !== key)
        .slice(0, limit),
    sealingKeys: async () => [...new Set(all().map(({ sealed }) => sealed.key))],
  }
}

/** Stores what is known of tools in memory. */
export function memoryDefinitions(): DefinitionStore {
  const kept = new Map<string, KnownDefinition>()
  return {
    get: async (server, tool) => kept.get(keyOf(server, tool)),
    list: async (server) => [...kept.values()].filter((one) => one.server === server),
    listAll: async (limit) => [...kept.values()].slice(0, limit),
    async saveIfUnchanged(next) {
      const key = keyOf(next.server, next.tool)
      if ((kept.get(key)?.version ?? 0) !== next.version - 1) return false
      kept.set(key, next)
      return true
    },
    remove: async (server, tool) => kept.delete(keyOf(server, tool)),
  }
}
