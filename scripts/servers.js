import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { findPostgres, startPostgres } from './private-postgres.js'
import { findRedis, startRedis } from './private-redis.js'
import { run } from './run.js'

/**
 * Finds or installs what the tests run against, and starts what must be started.
 * @returns {Promise<{ env: Record<string, string>, stop: () => Promise<void> }>}
 */
export async function bringServers() {
  const given = process.env.ASSENT_TEST_POSTGRES || undefined
  const givenRedis = process.env.ASSENT_TEST_REDIS || undefined
  const missing = []
  if (!given && !findPostgres()) missing.push(postgresql)
  if (!givenRedis && !findRedis()) missing.push(redisServer)
  if (!findChromium()) missing.push(chromium)
  if (missing.length > 0) await install(missing)

  const postgres = given ? undefined : await startPostgres(findPostgres() ?? '')
  const redis = givenRedis ? undefined : await startRedis(findRedis() ?? '')
  return {
    env: {
      ASSENT_TEST_POSTGRES: given ?? postgres?.url ?? '',
      ASSENT_TEST_REDIS: givenRedis ?? redis?.url ?? '',
      ASSENT_TEST_CHROMIUM: findChromium() ?? '',
    },
    stop: async () => {
      await Promise.all([postgres?.stop(), redis?.stop()])
    },
  }
}

const postgresql = {
  package: 'postgresql',
  remedy: 'PostgreSQL: set ASSENT_TEST_POSTGRES to the url of a server where databases may be created, or install it.',
}

const redisServer = {
  package: 'redis-server',
  remedy: 'Redis: set ASSENT_TEST_REDIS to the url of a server without other data, or install it.',
}

const chromium = {
  package: 'chromium',
  remedy: 'Chromium: set ASSENT_TEST_CHROMIUM to the path of its program, or install it.',
}

function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  return process.env.ASSENT_TEST_CHROMIUM || names.map(findProgram).find((path) => path !== undefined)
}

/** @param {string} name */
function findProgram(name) {
  const places = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name))
  return places.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** @param {{ package: string, remedy: string }[]} missing */
async function install(missing) {
  const names = missing.map((one) => one.package)
  const complain = (/** @type {string} */ why) =>
    new Error([`The tests need ${names.join(' and ')}. ${why}`, ...missing.map((one) => `  ${one.remedy}`)].join('\n'))
  const isRoot = process.getuid?.() === 0
  if (!findProgram('apt-get')) throw complain('There is no apt-get to bring them.')
  if (!isRoot) throw complain(`Only root can bring them: apt-get install ${names.join(' ')}`)

  leaveNoCluster()
  try {
    await aptGet('update')
    await aptGet('install', '--yes', '--no-install-recommends', ...names)
  } catch (error) {
    throw complain(`They could not be installed.\n${error instanceof Error ? error.message : error}`)
  }
}

/** Debian would make and start a server of its own at install; ours is private, so say no if nobody said anything. */
function leaveNoCluster() {
  const settings = '/etc/postgresql-common/createcluster.conf'
  if (existsSync(settings)) return
  mkdirSync(dirname(settings), { recursive: true })
  writeFileSync(settings, 'create_main_cluster = false\n')
}

/**
 * Silent unless it fails.
 * @param {string[]} args
 */
async function aptGet(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const { ok, output } = await run('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], { env })
  if (!ok) throw new Error(`apt-get ${args.join(' ')}:\n${output.slice(-2_000)}`)
}
