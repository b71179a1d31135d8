import { type Clock, systemClock } from '../../base/clock.ts'
import { measuredClock } from '../measured-clock.ts'
import { closeOnce, type Store } from '../store.ts'
import { redisAudit } from './audit.ts'
import { redisBrowsers } from './browsers.ts'
import { createRedisChanges } from './changes.ts'
import { redisConnections } from './connections.ts'
import { redisElicitations } from './elicitations.ts'
import { redisGrants } from './grants.ts'
import { redisHub } from './hub.ts'
import { redisPasskeys } from './passkeys.ts'
import { readRedisAddress } from './server/address.ts'
import { openRedisServer, type RedisServer } from './server/server.ts'
import { checkServer } from './server/suitable.ts'
import { redisSteps } from './steps.ts'
import { redisHoldings, redisInstances, redisMailbox, redisSessions } from './tables/instances.ts'
import { redisOwned } from './tables/owned.ts'
import { redisDefinitions, redisRegistrations } from './tables/registrations.ts'
import { redisRollups } from './tables/rollups.ts'
import { redisUsage } from './tables/usage.ts'

/** Options of a Redis store. */
export interface RedisOptions {
  /** This machine's own clock, which is compared with the server's. Default: the system clock. */
  readonly clock?: Clock
}

/**
 * A store for many processes and machines on one Redis or Valkey server. Needs the package `@redis/client`. Nothing in it
 * expires by itself, so give it a server that deletes nothing when its memory is full, and that writes a log.
 */
export async function openRedisStore(url: string, { clock: machine = systemClock }: RedisOptions = {}): Promise<Store> {
  const server = await openRedisServer(readRedisAddress(url))
  try {
    await checkServer(server)
    const clock = await measuredClock({ machine, readTime: () => readTime(server) })
    const changes = createRedisChanges(server)
    return {
      name: server.name,
      elicitations: redisElicitations(server),
      changes,
      audit: redisAudit(server),
      steps: redisSteps(server),
      browsers: redisBrowsers(server),
      connections: redisConnections(server),
      registrations: redisRegistrations(server),
      definitions: redisDefinitions(server),
      grants: redisGrants(server),
      usage: redisUsage(server),
      passkeys: redisPasskeys(server),
      tokens: redisOwned(server, 'token'),
      pushes: redisOwned(server, 'push'),
      hub: redisHub(server),
      instances: redisInstances(server),
      mailbox: redisMailbox(server, changes),
      sessions: redisSessions(server),
      rollups: redisRollups(server),
      holdings: redisHoldings(server),
      clock,
      // The server checks its files when it loads them.
      findDamage: async () => [],
      // It gives memory back by itself.
      shrink: async () => false,
      close: closeOnce(async () => {
        clock.stop()
        await Promise.all([changes.close(), server.close()])
      }),
    }
  } catch (error) {
    await server.close()
    throw error
  }
}

async function readTime(server: RedisServer): Promise<number> {
  const [seconds, microseconds] = await server.command<[string, string]>('TIME')
  return Number(seconds) * 1_000 + Number(microseconds) / 1_000
}
