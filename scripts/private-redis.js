import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startKept } from './start-kept.js'

const keeperScript = fileURLToPath(new URL('keep-redis.js', import.meta.url))

/** @type {typeof import('./private-redis.d.ts').findRedis} */
export function findRedis() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return ['redis-server', 'valkey-server']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path))
}

/** @type {typeof import('./private-redis.d.ts').startRedis} */
export const startRedis = (program) => startKept('Redis', keeperScript, program)
