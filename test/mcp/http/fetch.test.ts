import { expect, test } from 'vitest'
import { serveHttp } from '../../../src/mcp/http/serve.ts'
import { callOf, echoServer, initialize, modernCall } from '../../support/server/endpoint.ts'

const head = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', Host: 'localhost' }

/** Where there is no node:http, such as a Hono app. */
function fetchServing() {
  const serving = serveHttp(() => echoServer())
  return {
    serving,
    post: (body: unknown, headers: Record<string, string> = {}) =>
      serving.fetch(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: { ...head, ...headers },
          body: JSON.stringify(body),
        }),
      ),
  }
}

test('the web face serves both eras (V26-05)', async () => {
  const { post } = fetchServing()
  const { body, headers } = modernCall('echo', { text: 'modern' })
  expect(await (await post(body, headers)).text()).toContain('modern')

  const opened = await post(initialize)
  const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' }
  expect(await (await post(callOf('echo', { text: 'legacy' }), session)).text()).toContain('legacy')
})

test('a stream of the web face ends with its session', async () => {
  const { serving, post } = fetchServing()
  const opened = await post(initialize)
  const session = { ...head, 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' }
  const stream = await serving.fetch(new Request('http://localhost/mcp', { headers: session }))
  expect(stream.status).toBe(200)

  await serving.close()
  expect(await stream.text()).toBe('')
})
