import { isIP } from 'node:net'
import { DriverMissing } from '../../errors.ts'
import type { RedisScript } from '../scripts/script.ts'
import type { RedisAddress } from './address.ts'
import { asRedisError, isUnknownScript } from './errors.ts'
import { keepLink, type RedisClient, type RedisLink } from './link.ts'

const connectMs = 5_000

/** A Redis server: one connection for commands, which all go out at once and are answered in order, and more on request. */
export interface RedisServer {
  /** Host, port and database, without user and password. */
  readonly name: string
  /** The channel on which changes of questions are published. */
  readonly channel: string
  /** The name of a key that belongs to no table. */
  keyOf(name: string): string
  /** Runs a script on the keys of one table. Throws `StoreUnavailable` when the server is gone or does not reply. */
  run<T>(script: RedisScript, table: string, args: object): Promise<T>
  command<T>(...words: readonly string[]): Promise<T>
  /** Another connection, such as one that listens. */
  newLink(parts: { opened(client: RedisClient): Promise<void>; beat(): Promise<void> }): RedisLink
  close(): Promise<void>
}

/** Connects, or throws `StoreUnavailable`. */
export async function openRedisServer(address: RedisAddress): Promise<RedisServer> {
  const create = clientsFor(await loadDriver(), address)
  const link = keepLink({ create })
  // The braces keep all keys in one slot, which a server in cluster mode asks of every script.
  const prefix = `{${address.prefix}}:`

  async function command<T>(...words: readonly string[]): Promise<T> {
    try {
      const client = await link.client()
      return (await client.sendCommand([...words])) as T
    } catch (error) {
      throw asRedisError(error)
    }
  }

  async function run<T>({ text, sha }: RedisScript, table: string, args: object): Promise<T> {
    const given = ['1', `${prefix}${table}:`, JSON.stringify(args, wellFormed)]
    try {
      return await command<T>('EVALSHA', sha, ...given)
    } catch (error) {
      if (!isUnknownScript(error)) throw error
      return command<T>('EVAL', text, ...given)
    }
  }

  try {
    await link.client()
  } catch (error) {
    await link.close()
    throw error
  }
  return {
    name: address.name,
    // Channels are not part of a database, so its number is in the name.
    channel: `${prefix}changes:${address.database}`,
    keyOf: (name) => `${prefix}${name}`,
    run,
    command,
    newLink: (parts) => keepLink({ create, ...parts }),
    close: () => link.close(),
  }
}

/** Half of a surrogate pair cannot be sent, and the parser on the server refuses it. */
function wellFormed(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value
}

type Driver = Pick<typeof import('@redis/client'), 'createClient'>

async function loadDriver(): Promise<Driver> {
  try {
    return await import('@redis/client')
  } catch (cause) {
    throw new DriverMissing('Redis', '@redis/client', cause)
  }
}

function clientsFor({ createClient }: Driver, address: RedisAddress): () => RedisClient {
  const { host, port, isTls, database, username, password } = address
  // The link connects again by itself, so that a command never waits in a queue that outlives its connection.
  const common = { host, port, connectTimeout: connectMs, reconnectStrategy: false as const, keepAlive: true }
  return () =>
    createClient({
      // A certificate names a host; an address has no name that could be told to the server.
      socket: isTls ? { ...common, tls: true, ...(isIP(host) === 0 && { servername: host }) } : common,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      database,
      name: 'assent',
      disableOfflineQueue: true,
      maintNotifications: 'disabled',
    }) as RedisClient
}
