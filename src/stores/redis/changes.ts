import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { Changes } from '../../elicitation/store.ts'
import { toName } from '../rows/values.ts'
import { createWatchers } from '../watchers.ts'
import { elicitationTable } from './elicitations.ts'
import { listNotOpen } from './scripts/elicitations.ts'
import type { RedisLink } from './server/link.ts'
import type { RedisServer } from './server/server.ts'

const batch = 1_000

/** Notifies watchers by a subscription on a connection of its own, opened at the first watch and again whenever it breaks. */
export interface RedisChanges extends Changes {
  close(): Promise<void>
}

/**
 * What is published while the connection is down is lost. So everything that is watched is read again after each new
 * subscription, and every five seconds.
 */
export function createRedisChanges(server: RedisServer): RedisChanges {
  const watchers = createWatchers()
  let link: RedisLink | undefined
  let isClosed = false

  async function notifySettled(): Promise<void> {
    const watched = watchers.ids().map((id) => ({ id, key: toName(id) }))
    for (let start = 0; start < watched.length; start += batch) {
      const args = { watched: watched.slice(start, start + batch) }
      for (const id of await server.run<ElicitationId[]>(listNotOpen, elicitationTable, args)) watchers.notify(id)
    }
  }

  const listen = () =>
    server.newLink({
      async opened(client) {
        await client.subscribe(server.channel, (id: string) => watchers.notify(id as ElicitationId))
        await notifySettled()
      },
      beat: notifySettled,
    })

  return {
    watch(id, changed) {
      if (!isClosed) link ??= listen()
      return watchers.add(id, changed)
    },
    async close() {
      isClosed = true
      await link?.close()
    },
  }
}
