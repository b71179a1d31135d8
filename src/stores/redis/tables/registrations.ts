import type { RegistrationStore } from '../../../connection/registration/registration.ts'
import type { DefinitionStore } from '../../../definition/known-definition.ts'
import { type DefinitionRow, fromDefinitionRow, toDefinitionRow } from '../../rows/definition.ts'
import { fromRegistrationRow, type RegistrationRow, toRegistrationRow } from '../../rows/registration.ts'
import { toName } from '../../rows/values.ts'
import { type ReadRow, recordsIn, sealedPlace } from '../records.ts'
import type { RedisServer } from '../server/server.ts'

const keyOf = (...names: string[]) => JSON.stringify(names)
const first = (limit: number) => [0, limit - 1]

/** Registrations in Redis. */
export function redisRegistrations(server: RedisServer): RegistrationStore {
  const kept = recordsIn(server, 'registration')
  const fromRow = (row: ReadRow) => fromRegistrationRow(row as unknown as RegistrationRow)
  return {
    async get(issuer, resource) {
      const row = await kept.get(keyOf(issuer, resource))
      return row && fromRow(row)
    },
    list: async (limit) => (limit < 1 ? [] : (await kept.list(['all'], first(limit))).map(fromRow)),
    async saveIfUnchanged(next) {
      const row = toRegistrationRow(next)
      const record = {
        key: keyOf(next.issuer, next.resource),
        columns: { ...row },
        places: [{ index: 'all', score: 0 }, ...sealedPlace(row.sealed_key)],
      }
      if (next.version === 1) return (await kept.add(record)).kind === 'added'
      return kept.save(record, { version: next.version - 1 })
    },
    async remove({ issuer, resource, clientId }) {
      return (await kept.take(keyOf(issuer, resource), { client_id: toName(clientId) })) !== undefined
    },
    listSealedExcept: async (key, limit) => (await kept.listSealedExcept(key, limit)).map(fromRow),
    sealingKeys: () => kept.sealingKeys(),
  }
}

/** What is known of tools, in Redis. */
export function redisDefinitions(server: RedisServer): DefinitionStore {
  const kept = recordsIn(server, 'definition')
  const fromRow = (row: ReadRow) => fromDefinitionRow(row as unknown as DefinitionRow)
  return {
    async get(server, tool) {
      const row = await kept.get(keyOf(server, tool))
      return row && fromRow(row)
    },
    list: async (server) => (await kept.list([`of:${toName(server)}`], [0, -1])).map(fromRow),
    listAll: async (limit) => (limit < 1 ? [] : (await kept.list(['all'], first(limit))).map(fromRow)),
    async saveIfUnchanged(next) {
      const row = toDefinitionRow(next)
      const record = {
        key: keyOf(next.server, next.tool),
        columns: { ...row },
        places: [
          { index: 'all', score: 0 },
          { index: `of:${row.server}`, score: 0 },
        ],
      }
      if (next.version === 1) return (await kept.add(record)).kind === 'added'
      return kept.save(record, { version: next.version - 1 })
    },
    remove: async (server, tool) => (await kept.take(keyOf(server, tool))) !== undefined,
  }
}
