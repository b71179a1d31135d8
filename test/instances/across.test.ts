import type { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { McpServer } from '@modelcontextprotocol/server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { localParticipant } from '../../src/participant/participant.ts'
import { createWeb } from '../../src/web/index.ts'
import { connect11 } from '../support/asking/asking-clients.ts'
import { type RawReply, rawCall } from '../support/asking/asking-raw.ts'
import { askingUpstreams, newServer, oldServer } from '../support/gateway/gateways.ts'
import { hearing } from '../support/gateway/hearing.ts'
import { readPolicy } from '../support/policies.ts'
import { serverStores } from '../support/stores.ts'
import { enrolledBrowser } from '../support/test-browser.ts'
import { type Balanced, balanced } from './balanced.ts'

const yes = { action: 'accept', content: { choice: 'allow_once' } } as const
const here = { participant: localParticipant, groups: [], via: 'page' } as const
const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })
const textIn = ({ result }: RawReply) => result?.content?.[0]?.text
const echo = { name: 'up__echo', arguments: { text: 'hello' } }

const asking = { policy: { default: 'allow', fallback: 'inbox', rules: [{ tool: 'echo', decide: 'ask' }] } } as const

/** What an upstream says once about itself has reached all of them when each knows of the others. */
async function knowEachOther({ instances }: Balanced): Promise<void> {
  const known = () =>
    Promise.all(
      instances.map(({ gateway }) =>
        instances[0].assent.store.instances.list().then((all) => all.some(({ id }) => id === gateway.instance)),
      ),
    )
  await expect.poll(known).toEqual([true, true, true])
}

describe.each(Object.entries(serverStores))('on %s', (_, freshStore) => {
  test('an approval asked at one instance, answered in the inbox at another, runs at a third, once', async () => {
    const shared = { done: new Set<string>(), runs: [] as string[] }
    const up = await askingUpstreams['2026 over HTTP'](shared)
    const { instances } = await balanced(await freshStore(), { up }, { assentOptions: asking })
    const [a, b, c] = instances
    const asked = await rawCall(a.url, echo)
    const [question] = await b.assent.listOpen({ participant: localParticipant, groups: [] }, 10)
    await b.assent.answer(question?.id as never, here, yes)
    const retry = { ...echo, requestState: asked.result?.requestState }
    expect(textIn(await rawCall(c.url, retry))).toBe('hello')
    // Its reply may have been lost: the same state again runs nothing.
    for (const { url } of instances) expect(textIn(await rawCall(url, retry))).not.toBe('hello')
    expect(shared.runs).toEqual(['hello'])
  })

  test('an approval asked at one instance is answered by the client at two others at the same time, and runs once', async () => {
    const shared = { done: new Set<string>(), runs: [] as string[] }
    const up = await askingUpstreams['2026 over HTTP'](shared)
    const { instances } = await balanced(await freshStore(), { up }, { assentOptions: asking })
    const [a, b, c] = instances
    const asked = await rawCall(a.url, echo)
    const [key = ''] = Object.keys(asked.result?.inputRequests ?? {})
    const retry = { ...echo, requestState: asked.result?.requestState, inputResponses: { [key]: yes } }
    const replies = await Promise.all([b, c, b, c].map(({ url }) => rawCall(url, retry)))
    expect(replies.filter((reply) => textIn(reply) === 'hello')).toHaveLength(1)
    expect(shared.runs).toEqual(['hello'])
  })

  test('a call that is held at one instance goes on when its question is answered at another', async () => {
    const up = await askingUpstreams['2026 over HTTP']()
    const { instances } = await balanced(await freshStore(), { up }, { assentOptions: asking })
    const [a, b] = instances
    // A client that cannot be asked is held.
    const calling = rawCall(a.url, { ...echo, elicitation: undefined })
    const open = () => b.assent.listOpen({ participant: localParticipant, groups: [] }, 10)
    await expect.poll(async () => (await open()).length).toBe(1)
    await b.assent.answer((await open())[0]?.id as never, here, yes)
    expect(textIn(await calling)).toBe('hello')
  })

  test('the inbox of one instance shows at once what another asks', async () => {
    const up = await askingUpstreams['2026 over HTTP']()
    const { instances } = await balanced(await freshStore(), { up }, { assentOptions: asking })
    const [a, b] = instances
    const web = createWeb(b.assent)
    onTestFinished(() => web.close())
    const browser = await enrolledBrowser({ web, assent: b.assent } as never)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const { host } = new URL('http://127.0.0.1:4180')
    const stream = await web.fetch(new Request(`http://${host}/inbox/events`, { headers: { host, cookie } }))
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    let heard = ''
    const reader = (stream.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream() as never).getReader()
    const reading = (async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) heard += next.value
    })()
    const changes = () => heard.split('event: changed').length - 1
    await expect.poll(changes).toBe(1)
    await rawCall(a.url, echo)
    await expect.poll(changes).toBeGreaterThan(1)
    expect((await browser.get('/inbox')).text).toContain('echo')
    await reader.cancel()
    await reading
  })

  test('a pause at one instance holds at all until it is over', async () => {
    const up = await askingUpstreams['2026 over HTTP']()
    const { instances } = await balanced(await freshStore(), { up })
    const [a, b, c] = instances
    expect(textIn(await rawCall(b.url, echo))).toBe('hello')
    await a.assent.approvals.pause(localParticipant)
    for (const { url } of [b, c]) expect(textIn(await rawCall(url, echo))).toMatch(/pause/i)
    await c.assent.approvals.resume(localParticipant)
    for (const { url } of instances) expect(textIn(await rawCall(url, echo))).toBe('hello')
  })

  test('a question of a rule that another instance has reloaded is taken back, and a yes to it runs nothing anywhere', async () => {
    const shared = { done: new Set<string>(), runs: [] as string[] }
    const up = await askingUpstreams['2026 over HTTP'](shared)
    const { instances } = await balanced(await freshStore(), { up }, { assentOptions: asking })
    const [a, b, c] = instances
    const asked = await rawCall(a.url, echo)
    const [key = ''] = Object.keys(asked.result?.inputRequests ?? {})
    const stricter = readPolicy({ fallback: 'inbox', rules: [{ tool: 'echo', decide: 'ask', answer: 'page' }] })
    expect(await b.assent.approvals.usePolicy(stricter)).toBe(1)
    expect(await a.assent.listOpen({ participant: localParticipant, groups: [] }, 10)).toEqual([])
    for (const { assent } of [a, c]) await assent.approvals.usePolicy(stricter)
    const retry = { ...echo, requestState: asked.result?.requestState, inputResponses: { [key]: yes } }
    for (const { url } of instances) expect(textIn(await rawCall(url, retry))).not.toBe('hello')
    expect(shared.runs).toEqual([])
  })

  test.each(['2025', '2026'] as const)(
    'tools of an upstream of %s that changed are listed anew by every instance once the client was told',
    async (era) => {
      const tell: (() => Promise<void> | void)[] = []
      let hasGrown = false
      const url =
        era === '2025'
          ? await oldServer((server: OldServer) => {
              server.registerTool('first', {}, () => say('first'))
              let isRegistered = false
              tell.push(async () => {
                if (isRegistered) return server.sendToolListChanged()
                isRegistered = true
                server.registerTool('second', {}, () => say('second'))
              })
            })
          : await newServer((server: McpServer, notify) => {
              server.registerTool('first', {}, () => say('first'))
              if (hasGrown) server.registerTool('second', { inputSchema: z.object({}) }, () => say('second'))
              tell.push(() => notify().toolsChanged())
            })
      const all = await balanced(await freshStore(), { up: { url } })
      await knowEachOther(all)
      const { heard, names } = await hearing(all.balancer.url, '2025')
      for (const _ of all.instances) expect(await names()).not.toContain('up__second')
      // The notification is sent again: at the first, a stream that it needs may not have been open yet.
      hasGrown = true
      await expect
        .poll(async () => {
          if (!heard.includes('tools')) for (const one of era === '2025' ? tell : tell.slice(-1)) await one()
          return heard.includes('tools')
        })
        .toBe(true)
      for (const _ of all.instances) expect(await names()).toContain('up__second')
    },
  )

  test('that a page of an upstream is done is told to the client, whichever instance it is connected to', async () => {
    const up = await askingUpstreams['2025 over HTTP']()
    const all = await balanced(await freshStore(), { up })
    await knowEachOther(all)
    const client = await all.connect(connect11)
    client.answers(() => ({ action: 'accept' }))
    for (const _ of all.instances) expect((await client.call('up__open')).text).toBe('opened accept')
    await expect.poll(() => client.completed.length).toBeGreaterThanOrEqual(3)
    expect(new Set(client.completed)).toEqual(new Set(['page-of-open']))
  })
})
