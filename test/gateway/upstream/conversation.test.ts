import { expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { Conversation } from '../../../src/gateway/upstream/conversation.ts'
import { defaultUpstreamLimits } from '../../../src/gateway/upstream/options.ts'

test('a question that several requests could have asked is refused when the one that was asked is lost', async () => {
  const sent: unknown[] = []
  const conversation = new Conversation({
    clock: systemClock,
    limits: defaultUpstreamLimits,
    reserve: () => ({ release() {} }) as never,
    send: (message) => void sent.push(message),
    notified() {},
    dropped() {},
    tooManyValues() {},
  })
  let answer = (_: unknown) => {}
  const asked = () => new Promise((resolve) => (answer = resolve))
  const owner = { ended: (pending: never) => conversation.unregister(pending) }
  const request = () => ({
    method: 'tools/call',
    params: {},
    exclusive: false,
    hooks: { asked },
    signal: new AbortController().signal,
  })
  const [first] = [request(), request()].map((one) => conversation.register(owner as never, one as never))
  conversation.receive(JSON.stringify({ jsonrpc: '2.0', id: 'q', method: 'roots/list', params: {} }))
  expect(sent).toEqual([])
  Object.assign(first as object, { sent: true })
  first?.lose('broken', 'its client is gone', true)
  expect(sent).toMatchObject([{ id: 'q', error: { message: expect.stringContaining('Several requests') } }])
  answer({ result: { roots: [] } })
  await new Promise((resolve) => setImmediate(resolve))
  expect(sent).toHaveLength(1)
})
