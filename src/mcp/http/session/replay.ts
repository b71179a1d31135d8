import { randomBytes } from 'node:crypto'
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'
import { parseJson, writeJson } from '../../../base/json.ts'
import type { Lease } from '../../../base/limits/budget.ts'

interface Kept {
  readonly order: number
  readonly streamId: string
  /** As text, which takes less memory than what it is parsed to. */
  readonly text: string
  readonly lease: Lease
}

/** The messages of one session that are kept for a client that reconnects. */
export interface Replay extends EventStore {
  /** Drops them all. */
  close(): void
}

/**
 * Keeps the newest messages of one session, so that a client that reconnects gets what it missed (H11-08). A message for
 * which there is no room is not kept. An event id names its stream, so nothing of another stream is ever replayed, and who
 * kept it: the stream of a request that another instance, or one before a restart, works on cannot be resumed here.
 */
export function keepForReplay(limit: number, reserve: (bytes: number) => Lease | undefined): Replay {
  let kept: Kept[] = []
  let order = 0
  const keeper = randomBytes(6).toString('hex')

  function keep(streamId: string, message: JSONRPCMessage): void {
    const text = writeJson(message)
    let lease = reserve(text.length)
    // The oldest messages of this session make room.
    while (lease === undefined && kept.length > 0) {
      kept.shift()?.lease.release()
      lease = reserve(text.length)
    }
    if (lease === undefined) return
    kept.push({ order, streamId: inOnePiece(streamId), text, lease })
    if (kept.length > limit) kept.shift()?.lease.release()
  }

  return {
    async storeEvent(streamId, message) {
      order += 1
      // The event that opens a stream is empty: there is nothing to replay.
      if ('jsonrpc' in message) keep(streamId, message)
      return isLast(message) ? noId : eventId({ keeper, order, streamId })
    },
    async getStreamIdForEventId(id) {
      return readEventId(id, keeper)?.streamId
    },
    async replayEventsAfter(lastId, { send }) {
      const last = readEventId(lastId, keeper)
      if (last === undefined) throw new Error('Not an event id of this server')
      const missed = kept.filter(({ streamId, order }) => streamId === last.streamId && order > last.order)
      for (const event of missed) {
        const message = parseJson(event.text) as JSONRPCMessage
        await send(isLast(message) ? noId : eventId({ ...event, keeper }), message)
      }
      return last.streamId
    },
    close() {
      for (const { lease } of kept) lease.release()
      kept = []
    },
  }
}

/** V8 keeps an id as a tree of the parts that it was put together from, which takes ten times as much memory. */
function inOnePiece(id: string): string {
  return Buffer.from(id).toString()
}

/**
 * The SDK writes no id then. Some clients, Gemini CLI 0.61 among them, try to resume every stream whose last event had an id,
 * although its answer ended it, and then open a second stream and report that it was refused.
 */
const noId = ''

/** Whether the message ends the stream of its request: an answer does. */
function isLast(message: JSONRPCMessage): boolean {
  return 'result' in message || 'error' in message
}

interface EventPlace extends Pick<Kept, 'order' | 'streamId'> {
  readonly keeper: string
}

const eventId = ({ keeper, order, streamId }: EventPlace) => `${keeper}.${order}.${streamId}`

/** The SDK's name for the stream that belongs to no request. */
const ownStream = '_GET_stream'

function readEventId(id: string, keeper: string): Pick<Kept, 'order' | 'streamId'> | undefined {
  const [, kept, order, streamId] = /^([0-9a-f]{12})\.(\d{1,15})\.([\w-]{1,64})$/.exec(id) ?? []
  if (order === undefined || streamId === undefined) return undefined
  if (kept === keeper) return { order: Number(order), streamId }
  // The client's own stream goes on anywhere. What it missed elsewhere is lost.
  return streamId === ownStream ? { order: Number.MAX_SAFE_INTEGER, streamId } : undefined
}
