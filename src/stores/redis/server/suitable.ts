import { BadConfig } from '../../../base/errors.ts'
import { SchemaNewer } from '../../errors.ts'
import type { RedisServer } from './server.ts'

/** Raised when the keys change so that the version before could not read them. */
const schema = 1

const oldest = [6, 2] as const

const withoutLog =
  'Redis writes no log (appendonly no): when it stops, answers since its last snapshot are lost, and a yes that was spent may count again. Set appendonly yes.'

/** Refuses a server that is too old, that is part of a cluster, that may delete what it keeps, or that a newer version uses. */
export async function checkServer(server: RedisServer): Promise<void> {
  const { redis_version = '', redis_mode, maxmemory_policy = '', aof_enabled } = await readInfo(server)
  const [major = 0, minor = 0] = redis_version.split('.').map(Number)
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
    throw new BadConfig(
      `The store needs Redis ${oldest.join('.')} or later, or Valkey. The server is ${redis_version}.`,
    )
  }
  if (redis_mode === 'cluster') {
    throw new BadConfig('The store needs one Redis server, with replicas if you like, not a cluster.')
  }
  // No key of ours has an expiry, so volatile-* policies never choose one.
  if (maxmemory_policy.startsWith('allkeys')) {
    throw new BadConfig(
      `The Redis server deletes keys when its memory is full (maxmemory-policy ${maxmemory_policy}): answers and the audit would vanish. Set maxmemory-policy noeviction.`,
    )
  }
  await checkSchema(server)
  if (aof_enabled === '0') process.emitWarning(withoutLog, 'AssentStoreWarning')
}

/** What a server that can be used would lose, and how to change that. Undefined: at most what its disk loses. */
export async function durabilityProblem(server: RedisServer): Promise<string | undefined> {
  const { aof_enabled } = await readInfo(server)
  if (aof_enabled === '0') return withoutLog
  // Many hosted servers do not let clients read their settings.
  const [, appendfsync] = await server.command<string[]>('CONFIG', 'GET', 'appendfsync').then(flatSetting, () => [])
  switch (appendfsync) {
    case 'no':
      return 'Redis leaves it to the operating system when its log is on the disk (appendfsync no): a power cut loses up to half a minute of what was confirmed. Set appendfsync always.'
    case 'everysec':
      return 'Redis writes its log to the disk once a second (appendfsync everysec): a power cut loses up to a second of what was confirmed, and a yes that was spent in it may count again. Set appendfsync always.'
    default:
      return undefined
  }
}

/** A list in version 2 of the protocol, a map in version 3. */
function flatSetting(reply: readonly string[] | Readonly<Record<string, string>>): readonly string[] {
  return Array.isArray(reply) ? reply : Object.entries(reply).flat()
}

async function readInfo(server: RedisServer): Promise<Partial<Record<string, string>>> {
  const text = await server.command<string>('INFO')
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^(\w+):(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(lines)
}

async function checkSchema(server: RedisServer): Promise<void> {
  const key = server.keyOf('schema')
  await server.command('SET', key, String(schema), 'NX')
  const found = Number(await server.command<string>('GET', key))
  if (found > schema) throw new SchemaNewer(found, schema)
}
