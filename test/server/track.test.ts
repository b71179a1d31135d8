import { expect, onTestFinished, test, vi } from 'vitest'
import type { ElicitationId } from '../../src/index.ts'
import { connect11, connectOld } from '../support/asking/asking-clients.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { onPage } from '../support/asks.ts'
import { type AskingOptions, asking, local, localPage, participantOf, say, until } from '../support/server/servers.ts'

/** A server that is asked about questions; it has a tool so that it is a server of tools. */
const tracking = (options: AskingOptions = {}) =>
  asking((server) => void server.registerTool('echo', {}, async () => say('hi')), options)

const page = (participant = local) => ({
  question: { mode: 'url', message: 'Sign', url: 'https://example.com/s' } as const,
  origin: { server: 'tested' },
  requester: { participant, client: 'laptop' },
})

test('track is declared under a key of ours, as a server may not declare elicitation itself', async () => {
  const { connect } = await tracking()
  const client = await connect(connect11)
  expect(client.received()).toContain('"experimental":{"assent/elicitation-track":{},"assent/elicitation-withdraw":{}}')
  expect(client.received()).not.toContain('"elicitation":')
})

test.each([
  ['SDK 1.32', connectOld],
  ['SDK 2.4', connect11],
])('track tells %s how a question ended, in both spellings of its id', async (_name, how) => {
  const { assent, connect } = await tracking()
  const client = await connect(how)
  const ask = async (about: string) => (await assent.ask({ ...page(), about })).elicitation.id

  const [done, refused, cancelled, failed] = (await Promise.all(['1', '2', '3', '4'].map(ask))) as [
    ElicitationId,
    ElicitationId,
    ElicitationId,
    ElicitationId,
  ]
  const waiting = client.request('elicitation/track', { elicitationId: done })
  await assent.answer(done, localPage, { action: 'accept' })
  expect(await waiting).toMatchObject({ status: 'complete' })
  await assent.answer(refused, localPage, { action: 'decline' })
  expect(await client.request('elicitation/track', { elicitation_id: refused })).toMatchObject({ status: 'declined' })
  await assent.answer(cancelled, localPage, { action: 'cancel' })
  expect(await client.request('elicitation/track', { elicitationId: cancelled })).toMatchObject({ status: 'cancelled' })
  await assent.fail(failed, 'the provider is down')
  expect(await client.request('elicitation/track', { elicitationId: failed })).toMatchObject({
    status: 'failed',
    error: 'the provider is down',
  })
})

test('track gives up after the time it is told, and no later than the server’s own', async () => {
  const { assent, connect } = await tracking({ clocks: { track: '50ms' } })
  const client = await connect(connect11)
  const { elicitation } = await assent.ask(page())
  for (const timeoutMs of [10, 3_600_000, undefined, -1, 'soon']) {
    await expect(
      client.request('elicitation/track', { elicitationId: elicitation.id, timeoutMs }),
    ).rejects.toMatchObject({ code: -31_001, data: { status: 'timed-out', reason: 'timed-out' } })
  }
  expect((await assent.get(elicitation.id))?.state.kind).toBe('open')
})

test('track tells of its progress every ten seconds, rising, and not after its end (X26-04)', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { assent, connect } = await tracking()
  const client = await connect(connect11)

  const track = async (about: string) => {
    const { elicitation } = await assent.ask({ ...page(), about })
    const seen: number[] = []
    const tracked = client.request(
      'elicitation/track',
      { elicitationId: elicitation.id },
      { onprogress: ({ progress }) => seen.push(progress) },
    )
    await until(() => seen.length === 1)
    vi.advanceTimersByTime(30_000)
    await until(() => seen.length === 4)
    await assent.answer(elicitation.id, localPage, { action: 'accept' })
    await tracked
    return { seen, timersLeft: vi.getTimerCount() }
  }

  const first = await track('1')
  expect(first.seen).toEqual([1, 2, 3, 4])
  // A timer that outlived its request would be one more each time.
  expect((await track('2')).timersLeft).toBe(first.timersLeft)
})

test('an id that never was, another’s id and no id at all are refused alike', async () => {
  const { assent, connect } = await tracking({ withLogin: true })
  const bob = await connect(connect11, { token: 'bob' })
  const { elicitation } = await assent.ask(page(participantOf('alice')))
  for (const elicitationId of [elicitation.id, '00000000-0000-4000-8000-000000000000']) {
    const error = await bob.request('elicitation/track', { elicitationId }).catch((one) => one)
    expect(error).toMatchObject({ code: -32_602 })
    expect(error.message).toContain(`Unknown elicitation: ${elicitationId}`)
  }
  await expect(bob.request('elicitation/track', {})).rejects.toMatchObject({ code: -32_602 })

  const alice = await connect(connect11, { token: 'alice/phone' })
  await assent.answer(elicitation.id, onPage(participantOf('alice')), { action: 'accept' })
  expect(await alice.request('elicitation/track', { elicitationId: elicitation.id })).toMatchObject({
    status: 'complete',
  })
})

test('a store that fails is not told as an unknown id', async () => {
  const { assent, connect } = await tracking()
  const client = await connect(connect11)
  Object.assign(assent, { get: () => Promise.reject(new Error('store down')) })
  await expect(client.request('elicitation/track', { elicitationId: 'x' })).rejects.not.toMatchObject({ code: -32_602 })
})

test('2026-07-28 knows no track: the held retry does it', async () => {
  const { assent, url } = await tracking()
  const { elicitation } = await assent.ask({ ...page(), requester: { participant: local, client: 'local' } })
  const reply = await rawCall(url, {
    method: 'elicitation/track',
    name: elicitation.id,
    params: { elicitationId: elicitation.id },
  })
  expect(reply.error).toMatchObject({ code: -32_601 })
})

test('withdraw believes the token about its client, not what the client calls itself', async () => {
  const { assent, connect } = await tracking({ withLogin: true })
  const { elicitation } = await assent.ask(page(participantOf('alice')))
  const phone = await connect(connect11, { token: 'alice/phone', info: { name: 'laptop', version: '1' } })
  const withdraw = { elicitationId: elicitation.id }
  await expect(phone.request('elicitation/withdraw', withdraw)).rejects.toMatchObject({ code: -32_602 })
  expect((await assent.get(elicitation.id))?.state.kind).toBe('open')
  const laptop = await connect(connect11, { token: 'alice/laptop' })
  expect(await laptop.request('elicitation/withdraw', withdraw)).toMatchObject({ status: 'cancelled' })
})
