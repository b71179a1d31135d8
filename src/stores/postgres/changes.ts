import { createHash } from 'node:crypto'
import type { Client } from 'pg'
import { inBackground } from '../../base/under-way.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { Changes } from '../../elicitation/store.ts'
import { backOff, sleepUnlessAborted } from '../back-off.ts'
import { createWatchers } from '../watchers.ts'
import { isStorableText, type PostgresDatabase } from './database.ts'

const backstopMs = 5_000
const replyMs = 5_000
const batch = 1_000

/** Notifies watchers by LISTEN on a separate connection, opened at the first watch and again whenever it breaks. */
export interface PostgresChanges extends Changes {
  close(): void
}

/** One channel for each schema, so that two installations in one database do not notify each other. */
export async function channelOf(client: Client): Promise<string> {
  const { rows } = await client.query('select current_schema() as schema')
  return `assent_${createHash('sha256').update(rows[0].schema).digest('hex').slice(0, 32)}`
}

/** Reconnects for as long as the store is open, so watchers never see that the server was down. */
export function createPostgresChanges(database: PostgresDatabase, channel: string): PostgresChanges {
  const watchers = createWatchers()
  const closing = new AbortController()
  let isListening = false

  async function keepListening(): Promise<void> {
    isListening = true
    for (let failures = 0; !closing.signal.aborted; failures++) {
      await listen(() => {
        failures = 0
      })
      await sleepUnlessAborted(backOff(failures), closing.signal)
    }
  }

  /** Ends when the connection is lost or the store is closed; never throws. */
  async function listen(connected: () => void): Promise<void> {
    const lost = new AbortController()
    const lose = () => lost.abort()
    const client = database.newClient(replyMs)
    client.on('error', lose)
    client.on('end', lose)
    client.on('notification', ({ payload }) => watchers.notify(payload as ElicitationId))
    closing.signal.addEventListener('abort', lose)
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      connected()
      // The first query finds what was settled before we listened. The later ones detect a connection that was cut
      // without notice: their reply never comes, and a new connection is opened.
      while (!lost.signal.aborted) {
        await notifySettled(client)
        await sleepUnlessAborted(backstopMs, lost.signal)
      }
    } catch {
      // After any error a new connection is opened.
    } finally {
      closing.signal.removeEventListener('abort', lose)
      client.end().catch(() => {})
    }
  }

  async function notifySettled(client: Client): Promise<void> {
    const ids = watchers.ids().filter(isStorableText)
    for (let start = 0; start < ids.length; start += batch) {
      const { rows } = await client.query<{ id: ElicitationId }>({
        name: 'assent_not_open',
        text: `select watched.id from unnest($1::text[]) as watched (id) left join assent_elicitation kept using (id)
          where kept.state is distinct from 'open'`,
        values: [ids.slice(start, start + batch)],
      })
      for (const { id } of rows) watchers.notify(id)
    }
  }

  return {
    watch(id, changed) {
      if (!isListening) inBackground(keepListening())
      return watchers.add(id, changed)
    },
    close: () => closing.abort(),
  }
}
