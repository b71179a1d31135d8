import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { listening } from '../../support/server/servers.ts'
import { aClient, at, call, newServer, oldServer, opened, programOf, textOf } from './upstreams.ts'

const kinds = [
  ['a program of 2025', async () => programOf('old-stdio')],
  ['a program of 2026', async () => programOf('new-stdio')],
  ['HTTP of 2025', async () => at((await oldServer()).url)],
  ['HTTP of 2026', async () => at((await newServer()).url)],
] as const

test.each(kinds)(
  '%s that sends nothing about a call for too long gets a cancellation (X26-03)',
  async (_, settings) => {
    const upstream = opened(await settings(), { limits: { silence: 1_500 } })
    expect(textOf(await call(upstream, 'echo', { text: 'there' }))).toBe('there')
    const stopped = async () => Number(textOf(await call(upstream, 'cancelled')))
    const before = await stopped()
    expect(textOf(await call(upstream, 'wait'))).toBe('lost: silent, sent: true')
    await expect.poll(stopped).toBe(before + 1)
  },
)

test("the time a person takes to answer does not count as the server's silence", async () => {
  const upstream = opened(programOf('old-stdio'), { limits: { silence: 1_500 } })
  const asked = async () => {
    await new Promise((resolve) => setTimeout(resolve, 3_500))
    return { result: { action: 'decline' } }
  }
  const reply = await call(upstream, 'ask', { who: 'alice' }, { hooks: { asked } })
  expect(reply.kind).toBe('result')
})

test('a progress notification restarts the time limit for silence', async () => {
  const url = await listening((request: IncomingMessage, reply: ServerResponse) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body)
      const said = (message: object) => reply.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
      reply.writeHead(200, { 'Content-Type': 'text/event-stream' })
      if (method === 'server/discover') {
        said({ id, result: { supportedVersions: ['2026-07-28'], capabilities: {} } })
        return void reply.end()
      }
      let progress = 0
      const timer = setInterval(() => {
        progress += 1
        const { progressToken } = params._meta
        if (progress < 10) return void said({ method: 'notifications/progress', params: { progressToken, progress } })
        clearInterval(timer)
        said({ id, result: { resultType: 'complete', content: [{ type: 'text', text: 'late' }] } })
        reply.end()
      }, 250)
    })
  })
  const upstream = opened(at(url), { limits: { silence: 1_500 } })
  const params = { _meta: { progressToken: 'p' } }
  expect(textOf(await call(upstream, 'x', {}, { params, hooks: { progress() {} } }))).toBe('late')
})

test('a program that starts slowly has the time limit of the handshake, not that for silence', async () => {
  const upstream = opened(programOf('slow-start', '900'), { limits: { silence: 200 } })
  expect((await upstream.era(aClient, new AbortController().signal)).kind).toBe('found')
})
