import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

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
export async function startPostgres(binaries) {
  // Detached, so that a Ctrl-C reaches it only as the end of its pipe, after the tests it serves.
  const keeper = spawn(process.execPath, [keeperScript, binaries], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const gone = once(keeper, 'exit')
  keeper.stdin.on('error', () => {})
  const said = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]()

  const next = async () => {
    const { value } = await said.next()
    const { url, error } = JSON.parse(value ?? '{"error":"The private PostgreSQL is gone."}')
    if (error) throw new Error(error)
    return url
  }

  return {
    url: await next(),
    restart: async (downMs = 0) => {
      keeper.stdin.write(`restart ${downMs}\n`)
      await next()
    },
    stop: async () => {
      keeper.stdin.end()
      await gone
    },
  }
}
