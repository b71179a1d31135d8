import { expect, onTestFinished, test } from 'vitest'
import { createAssent } from '../../src/assent.ts'
import { envelope, type Heard, request, startHub } from '../support/hub/hub.ts'

const isMethod = (method: string) => (heard: Heard) => heard.payload?.method === method

test('a call without an answer ends when its caller leaves the space', async () => {
  const { join, raw } = await startHub()
  const [a, b] = [await join('agent-a'), await raw('agent-b')]
  const called = a.call('agent-b', 'work')
  await b.hears(isMethod('tools/call'))
  const ended = expect(called).rejects.toThrow('You left the space.')
  await a.close()
  await ended
  await expect(a.call('agent-b', 'work')).rejects.toThrow('You left the space.')
})

test('a call ends, and none is begun, once the space ended the connection for good', async () => {
  const { join, raw } = await startHub()
  const [a, b] = [await join('agent-a'), await raw('agent-b')]
  const called = a.call('agent-b', 'work')
  await b.hears(isMethod('tools/call'))
  const again = await raw('agent-a')
  await expect(called).rejects.toThrow('You joined again from elsewhere.')
  await expect(a.call('agent-b', 'work')).rejects.toThrow('You joined again from elsewhere.')
  await again.hears((heard) => heard.payload?.event === 'welcome')
})

test('attack: a stranger cannot call off the question of another by its id', async () => {
  const { join, raw } = await startHub()
  const [user, b, a] = [await join('user-1'), await raw('agent-b'), await raw('agent-a')]
  const asked: AbortSignal[] = []
  let answer = (_: object) => {}
  user.onElicitation(({ signal }) => {
    asked.push(signal)
    return new Promise((resolve) => (answer = resolve as never))
  })
  const requestedSchema = { type: 'object', properties: { ok: { type: 'boolean' } } }
  b.send(envelope('agent-b', ['user-1'], request('q', 'elicitation/create', { message: 'Go on?', requestedSchema })))
  await expect.poll(() => asked.length).toBe(1)
  const seen = new Promise<void>((resolve) => {
    user.onEnvelope(({ payload }) => (payload.method === 'notifications/last' ? resolve() : undefined))
  })
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q' } }
  a.send(envelope('agent-a', ['user-1'], cancelled))
  a.send(envelope('agent-a', ['user-1'], { jsonrpc: '2.0', method: 'notifications/last' }))
  await seen
  expect(asked[0]?.aborted).toBe(false)
  answer({ action: 'accept', content: { ok: true } })
  expect((await b.hears(({ payload }) => payload?.id === 'q')).payload.result.action).toBe('accept')
})

test('who calls an agent that is away is told so, and gets the answer when it is back', async () => {
  const { join } = await startHub()
  const a = await join('agent-a')
  const told = new Promise<string>((resolve) => {
    const onPending = ({ message }: { message: string }) => resolve(message)
    a.call('agent-b', 'work', {}, { onPending }).catch(() => {})
  })
  expect(await told).toBe('agent-b is not here; it gets this when it comes back.')
})

test('agents that do not say which tools they have are left out', async () => {
  const { join, raw } = await startHub()
  const b = await raw('agent-b')
  const a = await join('agent-a')
  expect(await a.tools(1)).toEqual([])
  await b.hears(isMethod('notifications/cancelled'))
})

test('a call that its caller gives up does not run when a person allows it later, and the question stays', async () => {
  const { join, raw } = await startHub()
  const [a, b, user] = [await join('agent-a'), await join('agent-b'), await raw('user-1')]
  const assent = await createAssent({
    store: 'memory:',
    policy: { fallback: 'inbox', rules: [{ decide: 'ask', approvers: 'user-1@hub:ops' }] },
  })
  onTestFinished(() => assent.close())
  const ran: string[] = []
  await b.serveTools({ wipe: { run: () => `run ${ran.push('wipe')}` } } as never, { assent })
  const giveUp = new AbortController()
  const called = a.call('agent-b', 'wipe', {}, { signal: giveUp.signal })
  called.catch(() => {})
  const question = await user.hears(isMethod('elicitation/create'))
  giveUp.abort()
  await user.hears(isMethod('notifications/cancelled'))
  const person = { participant: 'user-1@hub:ops' as never, groups: [] }
  const [open] = await assent.listOpen(person, 10)
  expect(question.payload.params.metadata.originalRequest.tool).toBe('wipe')
  await assent.answer(
    open?.id as never,
    { ...person, via: 'inbox' },
    { action: 'accept', content: { choice: 'allow_once' } },
  )
  const noted = new Promise<void>((resolve) => {
    b.onEnvelope(({ payload }) => (payload.method === 'notifications/last' ? resolve() : undefined))
  })
  user.send(envelope('user-1', ['agent-b'], { jsonrpc: '2.0', method: 'notifications/last' }))
  await noted
  expect(ran).toEqual([])
})
