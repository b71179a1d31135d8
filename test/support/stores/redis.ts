import { randomBytes } from 'node:crypto'
import { createClient } from '@redis/client'
import { onTestFinished } from 'vitest'
import { findRedis, startRedis } from '../../../scripts/private-redis.js'
import type { PrivateServer } from '../../../scripts/start-kept.js'

/** The address of an empty store that no other test knows, on the server that all tests share. Its keys go with the test. */
export function freshRedis(): string {
  const server = process.env.ASSENT_TEST_REDIS
  if (!server) {
    throw new Error(
      'This test needs a Redis. Run it with `npm test -- <file>`, which brings one, or set ASSENT_TEST_REDIS to the url of a server without other data.',
    )
  }
  const prefix = `test-${randomBytes(8).toString('hex')}`
  onTestFinished(() => redisDo(server, (client) => deleteKeys(client, `{${prefix}}:*`)))
  return `${server}?prefix=${prefix}`
}

/** A server of one's own, for tests that stop it or change its settings. */
export async function privateRedis(): Promise<PrivateServer> {
  const program = findRedis()
  if (program === undefined) throw new Error('This test needs the program of Redis: apt-get install redis-server')
  return startRedis(program)
}

type Client = ReturnType<typeof createClient>

/** Does something with the server itself, beside any store. */
export async function redisDo<T>(url: string, deed: (client: Client) => Promise<T>): Promise<T> {
  const client = createClient({ url: url.replace(/\?.*$/, '') }) as Client
  client.on('error', () => {})
  await client.connect()
  try {
    return await deed(client)
  } finally {
    client.destroy()
  }
}

async function deleteKeys(client: Client, pattern: string): Promise<void> {
  for await (const keys of client.scanIterator({ MATCH: pattern, COUNT: 1_000 })) {
    if (keys.length > 0) await client.unlink(keys)
  }
}
