import { setTimeout as pause } from 'node:timers/promises'
import { inBackground } from '../../../base/under-way.ts'
import { backOff, sleepUnlessAborted } from '../../back-off.ts'
import { StoreUnavailable } from '../../errors.ts'
import { asUnreachable } from './errors.ts'

export type RedisClient = ReturnType<typeof import('@redis/client').createClient>

const connectMs = 5_000
/** How long a command waits for a connection that was lost: a server that restarts is back by then, or not soon. */
const waitMs = 2_000
const beatMs = 5_000
const replyMs = 5_000
const closeMs = 1_000

/** One connection, made again with back-off whenever it is lost. */
export interface RedisLink {
  /** The connected client. While there is none, waits a moment; then throws `StoreUnavailable` with the reason. */
  client(): Promise<RedisClient>
  /** Lets running commands end within a moment; then the connection is closed, whatever the server does. */
  close(): Promise<void>
}

interface LinkParts {
  create(): RedisClient
  /** Runs on each new connection before anybody else uses it. */
  opened?(client: RedisClient): Promise<void>
  /** Runs after each sign of life, every five seconds. */
  beat?(): Promise<void>
}

/** Does not wait for the first connection. */
export function keepLink({ create, opened, beat }: LinkParts): RedisLink {
  const closing = new AbortController()
  let current: RedisClient | undefined
  let lastError: unknown
  let changed = withResolvers()
  let attempts = 0

  function tell(): void {
    changed.resolve()
    changed = withResolvers()
  }

  async function keep(): Promise<void> {
    for (let failures = 0; !closing.signal.aborted; failures++) {
      await connectOnce(() => {
        failures = 0
      })
      attempts += 1
      tell()
      await sleepUnlessAborted(backOff(failures), closing.signal)
    }
  }

  /** Ends when the connection is lost or the link is closed; never throws. */
  async function connectOnce(connected: () => void): Promise<void> {
    const lost = new AbortController()
    const lose = (error?: unknown) => {
      if (error instanceof Error) lastError = error
      lost.abort()
    }
    const client = create()
    client.on('error', lose)
    client.on('end', () => lose())
    const closed = () => lose()
    closing.signal.addEventListener('abort', closed)
    try {
      await within(connectMs, client.connect())
      await opened?.(client)
      if (lost.signal.aborted) return
      connected()
      current = client
      tell()
      // A connection that was cut without notice gives no sign of life. Everything that waits on it then fails.
      while (!lost.signal.aborted) {
        await sleepUnlessAborted(beatMs, lost.signal)
        if (lost.signal.aborted) return
        await within(replyMs, client.ping())
        await beat?.()
      }
    } catch (error) {
      lastError = error
    } finally {
      closing.signal.removeEventListener('abort', closed)
      current = undefined
      await end(client, closing.signal.aborted)
    }
  }

  const kept = keep()
  inBackground(kept)

  return {
    async client() {
      const deadline = performance.now() + waitMs
      const seen = attempts
      while (current === undefined) {
        const left = deadline - performance.now()
        if (closing.signal.aborted) throw new StoreUnavailable('The store is closed.')
        // The first connection fails at once; later ones are waited for, since a restart takes a moment.
        if (left <= 0 || (attempts > seen && seen === 0)) throw asUnreachable(lastError)
        await Promise.race([changed.promise, pause(left, undefined, { ref: false })])
      }
      return current
    },
    async close() {
      closing.abort()
      tell()
      await kept
    },
  }
}

async function end(client: RedisClient, isGraceful: boolean): Promise<void> {
  try {
    if (isGraceful && client.isReady) await within(closeMs, client.close())
  } catch {
    // It is destroyed below.
  }
  try {
    // Also when it is closed: whatever still waits for a reply fails by this.
    client.destroy()
  } catch {
    // There was no socket left.
  }
}

/** Fails if the reply does not come in time. */
async function within<T>(ms: number, reply: Promise<T>): Promise<T> {
  const given = new AbortController()
  reply.catch(() => {})
  const tooLong = pause(ms, undefined, { signal: given.signal, ref: false }).then(
    () => {
      throw new Error(`The server did not reply within ${ms / 1_000} s.`)
    },
    () => undefined as never,
  )
  try {
    return await Promise.race([reply, tooLong])
  } finally {
    given.abort()
  }
}

function withResolvers() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
