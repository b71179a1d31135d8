import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { Budget } from '../../../src/base/limits/budget.ts'
import { keepForReplay } from '../../../src/mcp/http/session/replay.ts'

const roomFor = (budget: Budget) => (bytes: number) => budget.lease('owner', bytes)
const anyRoom = roomFor(new Budget(1_000_000, 1_000_000))

const message = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} })

const notice: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/progress', params: {} }

async function missedAfter(store: ReturnType<typeof keepForReplay>, lastId: string) {
  const missed: JSONRPCMessage[] = []
  const stream = await store.replayEventsAfter(lastId, {
    send: async (_, sent) => {
      missed.push(sent)
    },
  })
  return { missed, stream }
}

test('only what came after, and only of the same stream, is replayed (H11-08)', async () => {
  const store = keepForReplay(10, anyRoom)
  const opening = await store.storeEvent('a', {} as JSONRPCMessage)
  await store.storeEvent('a', message(1))
  await store.storeEvent('b', message(2))
  const third = await store.storeEvent('a', notice)
  await store.storeEvent('a', message(3))

  expect(await missedAfter(store, opening)).toEqual({ missed: [message(1), notice, message(3)], stream: 'a' })
  expect(await missedAfter(store, third)).toEqual({ missed: [message(3)], stream: 'a' })
})

test('the answer that ends a stream has no id, so that nobody tries to resume what is over, and is replayed all the same', async () => {
  const store = keepForReplay(10, anyRoom)
  const opening = await store.storeEvent('a', {} as JSONRPCMessage)
  expect(await store.storeEvent('a', notice)).not.toBe('')
  expect(await store.storeEvent('a', message(1))).toBe('')
  expect(await store.storeEvent('b', { jsonrpc: '2.0', id: 2, error: { code: 1, message: 'no' } })).toBe('')
  const ids: string[] = []
  await store.replayEventsAfter(opening, { send: async (id) => void ids.push(id) })
  expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{12}\.2\.a$/), ''])
})

test('the newest messages are kept, and no more than the limit', async () => {
  const store = keepForReplay(2, anyRoom)
  const opening = await store.storeEvent('a', {} as JSONRPCMessage)
  for (const id of [1, 2, 3]) await store.storeEvent('a', message(id))
  expect(await missedAfter(store, opening)).toMatchObject({ missed: [message(2), message(3)] })
})

test('an attack: messages that fill the memory make room for each other, and one that is larger than all of it is not kept', async () => {
  const budget = new Budget(10_000, 1_000)
  const store = keepForReplay(100, roomFor(budget))
  const opening = await store.storeEvent('a', {} as JSONRPCMessage)
  const long = (id: number, length: number): JSONRPCMessage => ({
    jsonrpc: '2.0',
    id,
    result: { text: 'x'.repeat(length) },
  })
  for (let id = 1; id <= 10; id += 1) await store.storeEvent('a', long(id, 350))
  expect(await missedAfter(store, opening)).toMatchObject({ missed: [{ id: 9 }, { id: 10 }] })
  expect(budget.held).toBeLessThanOrEqual(1_000)
  await store.storeEvent('a', long(11, 2_000))
  expect(await missedAfter(store, opening)).toMatchObject({ missed: [] })
  await store.storeEvent('a', long(12, 350))
  store.close()
  expect(budget.held).toBe(0)
})

test.each(['', 'a', '1', '1.', '.a', '-1.a', '1.a b', '1.../a'])('"%s" is no event id', async (id) => {
  const store = keepForReplay(2, anyRoom)
  expect(await store.getStreamIdForEventId?.(id)).toBeUndefined()
  await expect(missedAfter(store, id)).rejects.toThrow()
})

test('the stream of a request that another instance works on is not resumed, but the client’s own stream is', async () => {
  const [here, elsewhere] = [keepForReplay(10, anyRoom), keepForReplay(10, anyRoom)]
  const ofRequest = await elsewhere.storeEvent('a', notice)
  const ofClient = await elsewhere.storeEvent('_GET_stream', notice)
  await here.storeEvent('a', notice)
  await here.storeEvent('_GET_stream', notice)
  expect(await here.getStreamIdForEventId?.(ofRequest)).toBeUndefined()
  await expect(missedAfter(here, ofRequest)).rejects.toThrow('Not an event id')
  expect(await missedAfter(here, ofClient)).toEqual({ missed: [], stream: '_GET_stream' })
})
