import type { ServerContext } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { callOf, echoServer, endpoint, modernCall, openSession, say, send } from '../../support/server/endpoint.ts'

/** A tool that runs until it is cancelled or let go, and tells what became of it. */
function waitingServer() {
  const seen = { started: 0, cancelled: 0, finished: 0 }
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const factory = () =>
    echoServer((server) =>
      server.registerTool('wait', {}, async ({ mcpReq: { signal } }: ServerContext) => {
        seen.started += 1
        signal.addEventListener('abort', () => {
          seen.cancelled += 1
        })
        await released
        seen.finished += 1
        return say('done')
      }),
    )
  return { factory, seen, release }
}

test('a 2026 client that goes away has cancelled its call (H26-11)', async () => {
  const { factory, seen, release } = waitingServer()
  const { url } = await endpoint(factory)
  const leave = new AbortController()
  const call = send(url, { ...modernCall('wait'), signal: leave.signal })
  await expect.poll(() => seen.started).toBe(1)

  leave.abort()
  await expect(call).rejects.toThrow()
  await expect.poll(() => seen.cancelled).toBe(1)
  release()
})

test('a 2025 client that goes away has not (H11-07)', async () => {
  const { factory, seen, release } = waitingServer()
  const { url } = await endpoint(factory)
  const headers = await openSession(url)
  const leave = new AbortController()
  await send(url, { body: callOf('wait'), headers, signal: leave.signal })
  await expect.poll(() => seen.started).toBe(1)

  leave.abort()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(seen.cancelled).toBe(0)
  release()
  await expect.poll(() => seen.finished).toBe(1)
})

test('a 2025 session that is deleted frees what waits in it', async () => {
  const { factory, seen, release } = waitingServer()
  const { url } = await endpoint(factory)
  const headers = await openSession(url)
  const call = await send(url, { body: callOf('wait'), headers })
  await expect.poll(() => seen.started).toBe(1)

  await send(url, { method: 'DELETE', headers })
  expect(seen.cancelled).toBe(1)
  expect(await call.text()).not.toContain('done')
  release()
})

test('closing the server ends what is under way, in both eras', async () => {
  const { factory, seen, release } = waitingServer()
  const { url, serving } = await endpoint(factory)
  const headers = await openSession(url)
  const calls = [send(url, modernCall('wait')), send(url, { body: callOf('wait'), headers })]
  await expect.poll(() => seen.started).toBe(2)

  await serving.close()
  expect(seen.cancelled).toBe(2)
  release()
  await Promise.all(calls.map(async (call) => (await call).text()))
})

describe('streams', () => {
  const lines = 400
  const chattyServer = () =>
    echoServer((server) =>
      server.registerTool('chat', {}, async ({ mcpReq }: ServerContext) => {
        for (let line = 1; line <= lines; line += 1) {
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken: 1, progress: line, message: 'x'.repeat(10_000) },
          })
        }
        return say('done')
      }),
    )

  test('reach a slow reader whole and in order (H26-09)', async () => {
    const { url } = await endpoint(chattyServer)
    const headers = await openSession(url)
    for (const request of [modernCall('chat'), { body: callOf('chat'), headers }]) {
      const response = await send(url, request)
      expect(response.headers.get('x-accel-buffering')).toBe('no')
      await new Promise((resolve) => setTimeout(resolve, 50))
      const text = await response.text()
      const progress = [...text.matchAll(/"progress":(\d+)/g)].map(([, line]) => Number(line))
      expect(progress).toEqual(Array.from({ length: lines }, (_, at) => at + 1))
      expect(text).toContain('done')
    }
  })

  test('a reader that stops in the middle harms nobody', async () => {
    const { url } = await endpoint(chattyServer)
    const leave = new AbortController()
    const response = await send(url, { ...modernCall('chat'), signal: leave.signal })
    await response.body?.getReader().read()
    leave.abort()
    expect((await send(url, modernCall('echo', { text: 'still here' }))).status).toBe(200)
  })
})
