import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { makeTicket } from '../../src/hub/join/ticket.ts'
import type { Store } from '../../src/index.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { testKeys } from '../support/assents.ts'
import { envelope, type Heard, type RawParticipant, startHub } from '../support/hub/hub.ts'

const isMethod = (method: string) => (heard: Heard) => heard.payload?.method === method
const isWelcome = (heard: Heard) => heard.payload?.event === 'welcome'
const note = (from: string, to: string[], params: object = {}) =>
  envelope(from, to, { jsonrpc: '2.0', method: 'notifications/note', params })
const socketOf = ({ socket }: RawParticipant) => (socket as unknown as { _socket: Socket })._socket

/** Somebody at the door, whose ticket is being looked at until `open` is called. */
async function atTheDoor() {
  const whole = openMemoryStore()
  let open = () => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  const claim: Store['steps']['claim'] = (...given) => gate.then(() => whole.steps.claim(...given))
  const started = await startHub({
    assent: { store: { ...whole, steps: { ...whole.steps, claim } }, keys: testKeys, policy: { default: 'allow' } },
  })
  const ticket = await makeTicket(started.assent, { space: 'ops', participant: 'agent-a' }, 60_000)
  const comer = await started.raw('nobody', { query: `?ticket=${encodeURIComponent(ticket)}` })
  return { ...started, comer, open: () => open() }
}

test('what is said before the welcome is taken after it, in its order', async () => {
  const { comer, open, raw } = await atTheDoor()
  const b = await raw('agent-b')
  for (let n = 0; n < 100; n += 1) comer.send(note('agent-a', ['agent-b'], { n }))
  const arrived = new Promise((resolve) => comer.socket.once('pong', resolve))
  comer.socket.ping()
  await arrived
  open()
  await b.hears((heard) => heard.payload?.params?.n === 99)
  expect(b.heard.filter(isMethod('notifications/note')).map(({ payload }) => payload.params.n)).toEqual(
    Array.from({ length: 100 }, (_, n) => n),
  )
})

test.each([
  ['many messages', 201, ''],
  ['large ones', 2, 'x'.repeat(200_000)],
])('attack: who says too much before the welcome is disconnected with words: %s', async (_, count, big) => {
  const { comer, hub } = await atTheDoor()
  for (let n = 0; n < count; n += 1) comer.send(note('agent-a', ['agent-b'], { big }))
  expect(await comer.closed).toEqual({ code: 1008, words: 'You sent too much before the welcome. Wait for it.' })
  expect(hub.status()[0]?.here).toEqual([])
})

test('attack: a flood of pings ends with words', async () => {
  const { raw } = await startHub()
  const a = await raw('agent-a')
  const closed = a.closed.then((end) => ({ ...end, isOver: true }))
  const rest = () => new Promise<{ isOver: boolean }>((resolve) => setImmediate(() => resolve({ isOver: false })))
  for (let isOver = false; !isOver; { isOver } = await Promise.race([closed, rest()])) {
    for (let n = 0; n < 100 && a.socket.readyState === a.socket.OPEN; n += 1) a.socket.ping()
  }
  expect(await closed).toMatchObject({ code: 1008, words: 'You ping too often.' })
})

test('what comes for one whose connection is just being ended reaches them when they join again', async () => {
  const { raw } = await startHub()
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  await b.hears(isWelcome)
  const socket = socketOf(b)
  socket.pause()
  // In one piece: when the sign of life is told, the connection is being ended.
  socket.cork()
  b.send(envelope('agent-b', [], {}, { kind: 'presence' }))
  b.socket.send(Buffer.from('{}'), { binary: true })
  socket.uncork()
  await a.hears((heard) => heard.payload?.event === 'heartbeat')
  const sent = note('agent-a', ['agent-b'])
  a.send(sent)
  a.send(envelope('agent-a', [], { jsonrpc: '2.0', id: 'no answer', result: {} }))
  await a.hears((heard) => heard.payload?.code === 'bad-request')
  await a.hears((heard) => heard.payload?.event === 'leave')
  const again = await raw('agent-b')
  expect(await again.hears(isMethod('notifications/note'))).toEqual(sent)
})

test('who was disconnected for a flood may join again, and is heard', async () => {
  const { raw } = await startHub({ limits: { burst: 20, envelopesPerSecond: 1_000 } })
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  const closed = a.closed.then(() => true)
  const rest = () => new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))
  for (let isOver = false; !isOver; isOver = await Promise.race([closed, rest()])) {
    for (let n = 0; n < 500 && a.socket.readyState === a.socket.OPEN; n += 1) a.send(note('agent-a', ['agent-b']))
  }
  expect((await a.closed).words).toBe('You sent too much for too long.')
  const again = await raw('agent-a')
  const last = note('agent-a', ['agent-b'])
  again.send(last)
  await b.hears(({ id }) => id === last.id)
})
