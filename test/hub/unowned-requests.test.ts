import { expect, test } from 'vitest'
import { localParticipant } from '../../src/participant/participant.ts'
import { testKeys } from '../support/assents.ts'
import { envelope, type Heard, type RawParticipant, request, startHub } from '../support/hub/hub.ts'
import { breakable } from '../support/stores/breakable.ts'

const policy = { default: 'ask', fallback: 'inbox' } as const
const participants = {
  'user-1': { kind: 'human', token: 'u', participant: localParticipant },
  'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: ['*'] },
  'agent-b': { kind: 'agent', token: 'b' },
} as const
const isQuestion = (heard: Heard) => heard.payload?.method === 'elicitation/create'

async function describeTools(agent: RawParticipant): Promise<void> {
  const { payload } = await agent.hears((heard) => heard.payload?.method === 'tools/list')
  const tools = [{ name: 'wipe', inputSchema: { type: 'object' } }]
  agent.send(envelope('agent-b', ['assent'], { jsonrpc: '2.0', id: payload.id, result: { tools } }))
}

test('a held call that no instance looks after, as a version before kept it, goes on where instances share the store', async () => {
  const { store } = breakable([])
  const started = { participants, assent: { store, keys: testKeys, policy } }
  const before = await startHub(started)
  const [a, b, user] = [await before.raw('agent-a'), await before.raw('agent-b'), await before.raw('user-1')]
  a.send(envelope('agent-a', ['agent-b'], request('c', 'tools/call', { name: 'wipe', arguments: {} })))
  await describeTools(b)
  const { payload } = await user.hears(isQuestion)
  await before.hub.close()

  const after = await startHub({ ...started, isShared: true })
  const [again, target] = [await after.raw('user-1'), await after.raw('agent-b')]
  await describeTools(target)
  expect((await again.hears(isQuestion)).payload.id).toBe(payload.id)
  const yes = { action: 'accept', content: { choice: 'allow_once' } } as const
  await after.assent.answer(payload.id, { participant: localParticipant, groups: [], via: 'page' }, yes)
  await target.hears((heard) => heard.payload?.method === 'tools/call')
})
