import { BadStoreUrl } from './errors.ts'
import type { Store } from './store.ts'

const forms = 'memory:, sqlite:<path> or postgres://…'

/** A store by its address: `memory:`, `sqlite:<path>` (`?survives=power` for a flush with every write) or `postgres://…`. */
export async function openStore(url: string): Promise<Store> {
  const [, scheme, rest = ''] = /^([a-z]+):(.*)$/s.exec(url) ?? []
  switch (scheme) {
    case 'memory': {
      const { openMemoryStore } = await import('./memory/open.ts')
      return openMemoryStore()
    }
    case 'sqlite': {
      const { path, survives } = sqliteAddress(rest)
      const { openSqliteStore } = await import('./sqlite/open.ts')
      return openSqliteStore(path, { survives })
    }
    case 'postgres':
    case 'postgresql': {
      const { openPostgresStore } = await import('./postgres/open.ts')
      return openPostgresStore(url)
    }
    default:
      // The address may hold a password: never repeat it.
      throw new BadStoreUrl(`The address of the store is not one of ${forms}.`)
  }
}

/** The file of a `sqlite:` address; undefined for any other. */
export function sqliteFile(url: string): string | undefined {
  return url.startsWith('sqlite:') ? sqliteAddress(url.slice('sqlite:'.length)).path : undefined
}

function sqliteAddress(rest: string): { path: string; survives: 'process' | 'power' } {
  const [path = '', query = ''] = rest.split('?', 2)
  const options = new URLSearchParams(query)
  const survives = options.get('survives') ?? 'process'
  const unknown = [...options.keys()].filter((key) => key !== 'survives')
  if (path === '' || path === ':memory:')
    throw new BadStoreUrl('A sqlite: address names a file, such as sqlite:.assent/assent.db.')
  if (unknown.length > 0)
    throw new BadStoreUrl(`A sqlite: address takes no ${unknown.join(', ')}; only survives=power.`)
  if (survives !== 'process' && survives !== 'power') throw new BadStoreUrl('survives is process or power.')
  return { path, survives }
}
