import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/cli/config/read.ts'
import { checkHub } from '../../src/cli/doctor/check-hub.ts'
import { temporaryFolder } from '../support/temporary.ts'

const long = (name: string) => `a-long-token-of-${name}`
const sound = {
  'user-1': { kind: 'human', participant: 'local' },
  'agent-a': { kind: 'agent', token: long('a'), for: 'user-1', may: [{ method: 'tools/call', to: 'agent-*' }] },
  'agent-b': { kind: 'agent', token: long('b') },
}

async function findings(participants: object, rules: object[] = []) {
  const file = join(await temporaryFolder(), 'assent.json')
  await writeFile(file, JSON.stringify({ version: 1, policy: { rules }, hub: { spaces: { ops: { participants } } } }))
  const found = await checkHub(await readConfig({ config: file }, {}))
  return found.map(({ status, check, words }) => `${status} ${check}: ${words}`)
}

test('a sound space, and rules that match its agents, are good', async () => {
  const rules = [
    { server: 'ops/agent-b', decide: 'ask' },
    { server: 'files', agents: '*@hub:ops', decide: 'deny' },
  ]
  expect(await findings(sound, rules)).toEqual(['good hub ops: 3 participants can join it.'])
})

test.each<[string, object, RegExp]>([
  [
    'no token',
    { 'agent-b': { kind: 'agent' } },
    /^warning hub ops: agent-b has no token, .*`assent hub ticket ops agent-b`/,
  ],
  ['a short token', { 'agent-b': { kind: 'agent', token: 'short' } }, /^warning hub ops: The token of agent-b has 5/],
  [
    'a token that two have',
    { 'agent-b': { kind: 'agent', token: long('a') } },
    /^error hub ops: agent-b has the same token as agent-a/,
  ],
  ['an agent for nobody', { 'agent-c': { kind: 'agent', token: long('c'), may: ['*'] } }, /agent-c acts for nobody/],
  [
    'a pattern that matches nobody',
    { 'agent-b': { kind: 'agent', token: long('b'), for: 'user-1', may: [{ to: ['agent-a', 'agent-x*'] }] } },
    /`may` of agent-b names "agent-x\*", and nobody/,
  ],
  ['nobody who could answer', { 'user-1': { kind: 'human', token: long('u') } }, /Nobody here could answer/],
])('%s is found', async (_, change, words) => {
  expect(await findings({ ...sound, ...change })).toEqual([expect.stringMatching(words)])
})

test('rules that name no agent of a space are found, and none without spaces', async () => {
  const rules = [
    { server: ['ops/agent-x', 'files'], decide: 'ask' },
    { agents: 'agent-y@hub:ops', decide: 'ask' },
  ]
  expect((await findings(sound, rules)).slice(1)).toEqual([
    'warning hub rules: Rule 1 names "ops/agent-x", and no agent of a space is that.',
    'warning hub rules: Rule 2 names "agent-y@hub:ops", and no agent of a space is that.',
  ])
  expect(await checkHub(await readConfig({ config: await empty() }, {}))).toEqual([])
})

async function empty(): Promise<string> {
  const file = join(await temporaryFolder(), 'assent.json')
  await writeFile(file, '{"version":1}')
  return file
}
