import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startKept } from './start-kept.js'

const keeperScript = fileURLToPath(new URL('keep-postgres.js', import.meta.url))

/** @type {typeof import('./private-postgres.d.ts').findPostgres} */
export function findPostgres() {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'initdb'))
  // Debian keeps its servers off the PATH, one folder a version.
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  return [...onPath, ...versions.map((version) => join(debian, version, 'bin', 'initdb'))]
    .filter((initdb) => existsSync(initdb))
    .map((initdb) => dirname(realpathSync(initdb)))
    .find((folder) => existsSync(join(folder, 'postgres')))
}

/** @type {typeof import('./private-postgres.d.ts').startPostgres} */
export const startPostgres = (binaries) => startKept('PostgreSQL', keeperScript, binaries)
