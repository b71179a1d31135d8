import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { fixedClock } from '../../../src/testing/fixed-clock.ts'
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
    const clock = fixedClock()
    const upstream = opened(await settings(), { clock, limits: { silence: 1_500 } })
    expect(textOf(await call(upstream, 'echo', { text: 'there' }))).toBe('there')
    const stopped = async () => Number(textOf(await call(upstream, 'cancelled')))
    const before = await stopped()
    const waiting = call(upstream, 'wait')
    let isLost = false
    void waiting.then(() => {
      isLost = true
    })
    await expect
      .poll(() => {
        clock.advance(500)
        return isLost
      })
      .toBe(true)
    expect(textOf(await waiting)).toBe('lost: silent, sent: true')
    await expect.poll(stopped).toBe(before + 1)
  },
)

test("the time a person takes to answer does not count as the server's silence", async () => {
  const clock = fixedClock()
  const upstream = opened(programOf('old-stdio'), { clock, limits: { silence: 1_500 } })
  const asked = async () => {
    clock.advance(10_000)
    return { result: { action: 'decline' } }
  }
  const reply = await call(upstream, 'ask', { who: 'alice' }, { hooks: { asked } })
  expect(reply.kind).toBe('result')
})

test('a progress notification restarts the time limit for silence', async () => {
  const clock = fixedClock()
  let tellProgress = () => {}
  let received = 0
  const url = await listening((request: IncomingMessage, reply: ServerResponse) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body)
      const send = (message: object) => reply.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
      reply.writeHead(200, { 'Content-Type': 'text/event-stream' })
      if (method === 'server/discover') {
        send({ id, result: { supportedVersions: ['2026-07-28'], capabilities: {} } })
        return void reply.end()
      }
      tellProgress = () => {
        const { progressToken } = params._meta
        if (received < 10) {
          send({ method: 'notifications/progress', params: { progressToken, progress: received + 1 } })
          return
        }
        send({ id, result: { resultType: 'complete', content: [{ type: 'text', text: 'late' }] } })
        reply.end()
      }
      tellProgress()
    })
  })
  const upstream = opened(at(url), { clock, limits: { silence: 1_500 } })
  const hooks = {
    progress() {
      received += 1
      clock.advance(1_000)
      tellProgress()
    },
  }
  const params = { _meta: { progressToken: 'p' } }
  expect(textOf(await call(upstream, 'x', {}, { params, hooks }))).toBe('late')
  expect(received).toBe(10)
})

test('a program that starts slowly has the time limit of the handshake, not that for silence', async () => {
  const clock = fixedClock()
  const upstream = opened(programOf('slow-start', '900'), { clock, limits: { silence: 200 } })
  const era = upstream.era(aClient, new AbortController().signal)
  await expect.poll(() => upstream.state().inFlight).toBe(1)
  clock.advance(1_000)
  expect((await era).kind).toBe('found')
})
