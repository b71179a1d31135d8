import type { McpServer } from '@modelcontextprotocol/server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createPost } from '../../../src/instance/post.ts'
import type { ServingContext } from '../../../src/mcp/http/session/served-session.ts'
import { shareSessions } from '../../../src/mcp/http/session/sharing.ts'
import { fixedClock } from '../../../src/testing/fixed-clock.ts'
import { anAssent } from '../../support/assents.ts'
import { callOf, echoServer, endpoint, initialize, openSession, say, send } from '../../support/server/endpoint.ts'

const changed = 'notifications/tools/list_changed'

/** An endpoint whose servers may rest for a minute before they are let go, and a session at it. */
async function resting() {
  const clock = fixedClock()
  const { store, vault } = await anAssent()
  const post = createPost({ store, vault, clock, onError() {} })
  const made: { readonly context: ServingContext; readonly server: McpServer }[] = []
  const { url, serving } = await endpoint(
    (context) => {
      const server = echoServer((one) =>
        one.registerTool('ask', {}, async ({ mcpReq }) => {
          const schema = { type: 'object', properties: { name: { type: 'string' } } } as const
          const params = { message: 'Who are you?', requestedSchema: schema }
          const { content } = await mcpReq.send({ method: 'elicitation/create', params }, { signal: mcpReq.signal })
          return say(`Hello ${content?.name}`)
        }),
      )
      made.push({ context, server })
      return server
    },
    () => ({
      clock,
      serverIdle: '1m',
      sharing: shareSessions({ vault, clock, sessions: store.sessions, post, endpoint: 'test', levelSet() {} }),
    }),
  )
  const headers = await openSession(url)
  const tell = async (body: object) => (await send(url, { body: { jsonrpc: '2.0', ...body }, headers })).text()
  await tell({ method: 'notifications/initialized' })
  return { clock, url, serving, headers, made, tell, rest: () => clock.advance(120_000) }
}

/** Reads a stream of events up to the first part that fits. */
function events(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream() as never).getReader()
  let heard = ''
  onTestFinished(() => reader.cancel().catch(() => {}))
  return async (part: RegExp): Promise<string> => {
    for (;;) {
      const found = part.exec(heard)
      if (found !== null) return found[1] ?? found[0]
      const { value } = await reader.read()
      if (value === undefined) throw new Error(`The stream ended after: ${heard}`)
      heard += value
    }
  }
}

type Resting = Awaited<ReturnType<typeof resting>>

/** Has the server ask its client. Returns under which id it asked, and what comes after. */
async function ask({ url, headers }: Resting, id: number) {
  const until = events(await send(url, { body: callOf('ask', {}, id), headers }))
  return { asked: await until(/"id":"([^"]+~[^"]+)"/), until }
}

const answer = ({ tell }: Resting, id: string, name: string) =>
  tell({ id, result: { action: 'accept', content: { name } } })

describe('the server of a session', () => {
  test('is let go when it has nothing to do, and made again when it is needed, for the same client', async () => {
    const session = await resting()
    session.rest()
    expect(session.made).toHaveLength(1)
    const { asked, until } = await ask(session, 1)
    await answer(session, asked, 'Ada')
    await until(/Hello Ada/)

    expect(session.made).toHaveLength(2)
    const [first, second] = session.made
    expect(second?.context.session).toBe(first?.context.session)
    expect(second?.server.server.getClientVersion()).toEqual(initialize.params.clientInfo)
    expect(first?.context.session?.closed.aborted).toBe(false)
    expect(session.serving.sessions).toBe(1)
  })

  test('is made once for many who need it at the same time', async () => {
    const session = await resting()
    session.rest()
    const { url, headers } = session
    const call = async (id: number) =>
      (await send(url, { body: callOf('echo', { text: `${id}` }, id), headers })).text()
    const said = await Promise.all(Array.from({ length: 10 }, (_, id) => call(id)))
    expect(said.every((text, id) => text.includes(`"text":"${id}"`))).toBe(true)
    expect(session.made).toHaveLength(2)
  })

  test('leaves the stream that the client holds open, which brings what is told later', async () => {
    const session = await resting()
    const until = events(await send(session.url, { method: 'GET', headers: session.headers }))
    session.rest()
    session.made[0]?.context.session?.notify(changed, {})
    await until(/tools\/list_changed/)
    expect(session.made).toHaveLength(2)
  })

  test('stays while the client has not answered it', async () => {
    const session = await resting()
    const { asked, until } = await ask(session, 1)
    session.rest()
    await answer(session, asked, 'Ada')
    await until(/Hello Ada/)
    expect(session.made).toHaveLength(1)
  })

  test('ends with its session, also when it was let go', async () => {
    const session = await resting()
    session.rest()
    expect((await send(session.url, { method: 'DELETE', headers: session.headers })).status).toBe(200)
    expect(session.made[0]?.context.session?.closed.aborted).toBe(true)
    session.made[0]?.context.session?.notify(changed, {})
    expect((await send(session.url, { body: callOf('echo'), headers: session.headers })).status).toBe(404)
    expect(session.made).toHaveLength(1)
  })
})

test('attack: a late answer to a server that was let go does not count for what the next one asks', async () => {
  const session = await resting()
  const before = await ask(session, 1)
  await session.tell({ method: 'notifications/cancelled', params: { requestId: 1 } })
  session.rest()
  const now = await ask(session, 2)
  expect(session.made).toHaveLength(2)
  await answer(session, before.asked, 'of before')
  await answer(session, now.asked, 'of now')
  expect(await now.until(/Hello of [a-z]+/)).toBe('Hello of now')
})
