import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { Changes } from '../../elicitation/store.ts'
import { createWatchers } from '../watchers.ts'
import { canBeKept, type Database } from './database.ts'

const backstopMs = 5_000
const replyMs = 5_000
const firstBackOffMs = 50
const longestBackOffMs = 2_000
const batch = 1_000

/** Wakes waiters by LISTEN on a connection of its own, opened at the first watch and again whenever it breaks. */
export interface PostgresChanges extends Changes {
  close(): void
}

/** One channel for each schema: two Assents in one database do not wake each other. */
export async function channelOf(client: Client): Promise<string> {
  const { rows } = await client.query('select current_schema() as schema')
  return `assent_${createHash('sha256').update(rows[0].schema).digest('hex').slice(0, 32)}`
}

/** Tries for as long as the store is open: nobody who watches is ever told that the server was down. */
export function createChanges(database: Database, channel: string): PostgresChanges {
  const watchers = createWatchers()
  const closing = new AbortController()
  let isListening = false

  async function keepListening(): Promise<void> {
    isListening = true
    for (let failures = 0; !closing.signal.aborted; failures++) {
      await listen(() => {
        failures = 0
      })
      await rest(backOff(failures), closing.signal)
    }
  }

  /** Ends when the connection is lost or the store is closed; never throws. */
  async function listen(connected: () => void): Promise<void> {
    const lost = new AbortController()
    const lose = () => lost.abort()
    const client = database.newClient(replyMs)
    client.on('error', lose)
    client.on('end', lose)
    client.on('notification', ({ payload }) => watchers.ring(payload as ElicitationId))
    closing.signal.addEventListener('abort', lose)
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      connected()
      // The first look finds what was settled while nobody listened. The later ones are for a connection that was cut
      // in silence, which would seem quiet for ever: their reply stays out, and a new connection is made.
      while (!lost.signal.aborted) {
        await ringSettled(client)
        await rest(backstopMs, lost.signal)
      }
    } catch {
      // Whatever went wrong, the remedy is a new connection.
    } finally {
      closing.signal.removeEventListener('abort', lose)
      client.end().catch(() => {})
    }
  }

  async function ringSettled(client: Client): Promise<void> {
    const ids = watchers.ids().filter(canBeKept)
    for (let start = 0; start < ids.length; start += batch) {
      const { rows } = await client.query<{ id: ElicitationId }>({
        name: 'assent_not_open',
        text: `select watched.id from unnest($1::text[]) as watched (id) left join assent_elicitation kept using (id)
          where kept.state is distinct from 'open'`,
        values: [ids.slice(start, start + batch)],
      })
      for (const { id } of rows) watchers.ring(id)
    }
  }

  return {
    watch(id, changed) {
      if (!isListening) keepListening()
      return watchers.add(id, changed)
    },
    close: () => closing.abort(),
  }
}

function backOff(failures: number): number {
  return Math.min(longestBackOffMs, firstBackOffMs * 2 ** failures) * (0.5 + Math.random() / 2)
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal, ref: false }).catch(() => {})
}
