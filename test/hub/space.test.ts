import { expect, test } from 'vitest'
import { localParticipant } from '../../src/participant/participant.ts'
import { envelope, request, startHub } from '../support/hub/hub.ts'

const inInbox = { participant: localParticipant, groups: [], via: 'inbox' } as const

test('a person who is not in the space changes the target in the inbox, and the caller learns what and by whom', async () => {
  const { join, raw, assent } = await startHub({
    participants: {
      'user-1': { kind: 'human', participant: localParticipant },
      'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: ['tools/call'] },
      'agent-b': { kind: 'agent', token: 'b' },
    },
    assent: { policy: { rules: [{ server: 'ops/agent-b', tool: 'deploy', decide: 'ask', editable: ['target'] }] } },
  })
  const [b, a] = [await raw('agent-b'), await join('agent-a')]
  const isPending = new Promise((resolve) => {
    const called = a.call('agent-b', 'deploy', { target: 'production' }, { onPending: () => resolve({ called }) })
  }) as Promise<{ called: ReturnType<typeof a.call> }>
  const { payload } = await b.hears((heard) => heard.payload?.method === 'tools/list')
  const target = { type: 'string', enum: ['production', 'staging'] }
  const tools = [{ name: 'deploy', inputSchema: { type: 'object', properties: { target } } }]
  b.send(envelope('agent-b', ['assent'], { jsonrpc: '2.0', id: payload.id, result: { tools } }))
  const { called } = await isPending

  const [question] = await assent.listOpen(inInbox, 10)
  const content = { choice: 'allow_once', edit_target: 'staging' }
  await assent.answer(question?.id as never, inInbox, { action: 'accept', content })
  const run = await b.hears((heard) => heard.payload?.method === 'tools/call')
  expect(run.payload.params.arguments).toEqual({ target: 'staging' })
  const result = { content: [{ type: 'text', text: 'Deployed to staging.' }] }
  b.send(envelope('agent-b', ['agent-a'], { jsonrpc: '2.0', id: run.payload.id, result }))
  expect((await called)._meta?.['assent/approval']).toMatchObject({
    approvedBy: 'local',
    via: 'inbox',
    changes: [{ name: 'target', before: 'production', after: 'staging' }],
  })
})

test('the question of an agent can be answered in the inbox, and the answer comes in the name of the person', async () => {
  const { raw, assent } = await startHub()
  const b = await raw('agent-b')
  const requestedSchema = { type: 'object', properties: { approve: { type: 'boolean' } }, required: ['approve'] }
  b.send(envelope('agent-b', ['user-1'], request('q', 'elicitation/create', { message: 'May I?', requestedSchema })))
  await expect.poll(async () => (await assent.listOpen(inInbox, 10)).length).toBe(1)
  const [question] = await assent.listOpen(inInbox, 10)
  await assent.answer(question?.id as never, inInbox, { action: 'accept', content: { approve: true } })
  const { from, payload } = await b.hears((heard) => heard.payload?.id === 'q')
  expect(from).toBe('user-1')
  expect(payload.result).toMatchObject({ action: 'accept', content: { approve: true } })
})

test('unknown keys and kinds pass as they came, and the history has them under both names', async () => {
  const { raw, url } = await startHub()
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  const strange = {
    ...envelope('agent-a', [], { any: ['thing', { deep: 1e-7 }] }, { kind: 'mood', extra: { x: null } }),
  }
  a.send(strange)
  expect(await b.hears((heard) => heard.id === strange.id)).toEqual(strange)
  const address = `${url.replace('ws:', 'http:')}/history`
  const reply = await fetch(address, { headers: { Authorization: 'Bearer token-of-agent-b' } })
  expect(await reply.json()).toEqual({ history: [strange], messages: [strange] })
  expect((await fetch(address)).status).toBe(401)
})

test('a request to one who is away is kept for them, and its sender is told', async () => {
  const { raw } = await startHub()
  const a = await raw('agent-a')
  const asked = envelope('agent-a', ['agent-b'], request(1, 'ping'))
  a.send(asked)
  await a.hears((heard) => heard.payload?.event === 'absent' && heard.correlation_id === asked.id)
  const b = await raw('agent-b')
  expect(await b.hears((heard) => heard.id === asked.id)).toEqual(asked)
})
