import { expect, test } from 'vitest'
import type { ParticipantOptions } from '../../src/hub/options.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { questionFacts } from '../../src/web/question/question-page.ts'
import { startHub } from '../support/hub/hub.ts'

const participants: Record<string, ParticipantOptions> = {
  'user-1': { kind: 'human', token: 'u1', participant: localParticipant },
  'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: ['*'] },
  'agent-b': { kind: 'agent', token: 'b', may: ['*'] },
  'agent-c': { kind: 'agent', token: 'c', for: 'user-1', may: ['*'], asks: 'itself' },
}
const person = { participant: localParticipant, groups: [] }
const inInbox = { ...person, via: 'inbox' } as const
const text = (words: string) => ({ content: [{ type: 'text', text: words }] })

/** agent-b has `wipe`; agent-c has `relay`, which calls it. What comes through agent-a is asked about. */
async function spaceWithChain() {
  const rules = [{ agents: 'agent-a@hub:ops', server: 'ops/agent-b', decide: 'ask' } as const]
  const { join, assent } = await startHub({ participants, assent: { policy: { default: 'allow', rules } } })
  const [a, b, c] = [await join('agent-a'), await join('agent-b'), await join('agent-c')]
  const tool = (name: string, run: () => Promise<object>) => ({
    list: async () => [{ name, inputSchema: { type: 'object' } }],
    call: async () => (await run()) as never,
    close: async () => {},
  })
  await b.serveTools(tool('wipe', async () => text('wiped')))
  await c.serveTools(tool('relay', () => c.call('agent-b', 'wipe')))
  const asked = async () => {
    await expect.poll(async () => (await assent.listOpen(inInbox, 10)).length).toBe(1)
    return (await assent.listOpen(inInbox, 10))[0] as NonNullable<Awaited<ReturnType<typeof assent.get>>>
  }
  return { a, c, assent, asked }
}

test('a rule on agents matches the verified chain, and pages show through whom a call comes', async () => {
  const { a, c, assent, asked } = await spaceWithChain()
  // On its own behalf, agent-c meets no rule.
  expect((await c.call('agent-b', 'wipe')).content).toEqual(text('wiped').content)
  const relayed = a.call('agent-c', 'relay')
  const question = await asked()
  expect(question.requester).toMatchObject({
    participant: localParticipant,
    client: 'agent-c@hub:ops',
    agents: ['agent-a@hub:ops', 'agent-c@hub:ops'],
  })
  expect(questionFacts(question, person, '').asker).toBe('agent-c acting for agent-a@hub:ops')
  await assent.answer(question.id, inInbox, { action: 'accept', content: { choice: 'allow_once' } })
  expect((await relayed).content).toEqual(text('wiped').content)
})

test('a lasting yes for an agent holds for the same chain, and for no other', async () => {
  const { a, assent, asked } = await spaceWithChain()
  const first = a.call('agent-c', 'relay')
  const choice = 'always_allow/tool/revoked/this'
  await assent.answer((await asked()).id, inInbox, { action: 'accept', content: { choice } })
  await first
  expect((await a.call('agent-c', 'relay')).isError).toBeUndefined()
  expect(await assent.listOpen(inInbox, 10)).toEqual([])

  const direct = a.call('agent-b', 'wipe')
  const { id, requester } = await asked()
  expect(requester.agents).toEqual(['agent-a@hub:ops'])
  await assent.answer(id, inInbox, { action: 'accept', content: { choice: 'deny' } })
  expect((await direct).isError).toBe(true)
})
