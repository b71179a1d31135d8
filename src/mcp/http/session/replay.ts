import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'

interface Kept {
  order: number
  streamId: string
  message: JSONRPCMessage
}

/**
 * Keeps the newest messages of one session, so that a client that reconnects gets what it missed (H11-08).
 * An event id names its stream, so nothing of another stream is ever replayed.
 */
export function keepForReplay(limit: number): EventStore {
  const kept: Kept[] = []
  let order = 0

  return {
    async storeEvent(streamId, message) {
      order += 1
      // The event that opens a stream is empty: there is nothing to replay.
      if ('jsonrpc' in message) kept.push({ order, streamId, message })
      if (kept.length > limit) kept.shift()
      return eventId({ order, streamId })
    },
    async getStreamIdForEventId(id) {
      return readEventId(id)?.streamId
    },
    async replayEventsAfter(lastId, { send }) {
      const last = readEventId(lastId)
      if (last === undefined) throw new Error('Not an event id of this server')
      const missed = kept.filter(({ streamId, order }) => streamId === last.streamId && order > last.order)
      for (const event of missed) await send(eventId(event), event.message)
      return last.streamId
    },
  }
}

const eventId = ({ order, streamId }: Pick<Kept, 'order' | 'streamId'>) => `${order}.${streamId}`

function readEventId(id: string): Pick<Kept, 'order' | 'streamId'> | undefined {
  const [, order, streamId] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(id) ?? []
  return order === undefined || streamId === undefined ? undefined : { order: Number(order), streamId }
}
