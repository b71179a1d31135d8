import { BadStoreUrl } from './errors.ts'
import type { Store } from './store.ts'

/** The address of a store, parsed. */
export type StoreAddress =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string; readonly survives: 'process' | 'power' }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'redis'; readonly url: string }

/** Opens a store by its address. Loads only the driver that it needs. */
export async function openStore(address: StoreAddress): Promise<Store> {
  switch (address.kind) {
    case 'memory': {
      const { openMemoryStore } = await import('./memory/open.ts')
      return openMemoryStore()
    }
    case 'sqlite': {
      const { openSqliteStore } = await import('./sqlite/open.ts')
      return openSqliteStore(address.path, { survives: address.survives })
    }
    case 'postgres': {
      const { openPostgresStore } = await import('./postgres/open.ts')
      return openPostgresStore(address.url)
    }
    case 'redis': {
      const { openRedisStore } = await import('./redis/open.ts')
      return openRedisStore(address.url)
    }
  }
}

/** Parses `memory:`, `sqlite:<path>` (`?survives=power` for a disk flush with every write), `postgres://…` or `redis://…`. */
export function readAddress(url: string): StoreAddress {
  const [, scheme, rest = ''] = /^([a-z]+):(.*)$/s.exec(url) ?? []
  switch (scheme) {
    case 'memory':
      return { kind: 'memory' }
    case 'sqlite':
      return sqliteAddress(rest)
    case 'postgres':
    case 'postgresql':
      return { kind: 'postgres', url }
    case 'redis':
    case 'rediss':
      return { kind: 'redis', url }
    default:
      // The address may contain a password, so the message does not repeat it.
      throw new BadStoreUrl('The address of the store is not one of memory:, sqlite:<path>, postgres://… or redis://…')
  }
}

function sqliteAddress(rest: string): StoreAddress {
  const [path = '', query = ''] = rest.split('?', 2)
  const options = new URLSearchParams(query)
  const survives = options.get('survives') ?? 'process'
  const unknown = [...options.keys()].filter((key) => key !== 'survives')
  if (path === '' || path === ':memory:') {
    throw new BadStoreUrl('A sqlite: address must name a file, such as sqlite:.assent/assent.db.')
  }
  if (unknown.length > 0) {
    throw new BadStoreUrl(`A sqlite: address does not support ${unknown.join(', ')}, only survives=power.`)
  }
  if (survives !== 'process' && survives !== 'power')
    throw new BadStoreUrl('In a sqlite: address, survives must be process or power.')
  return { kind: 'sqlite', path, survives }
}
