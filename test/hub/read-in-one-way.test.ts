import { expect, test } from 'vitest'
import { localParticipant } from '../../src/participant/participant.ts'
import { startHub } from '../support/hub/hub.ts'

const participants = {
  'user-1': { kind: 'human', token: 'u', participant: localParticipant },
  'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: [{ method: 'tools/list', to: 'agent-b' }] },
  'agent-b': { kind: 'agent', token: 'b' },
} as const

const begin = '{"protocol":"mcp-x/v0","to":["agent-b"],"kind":"mcp"'
const list = '"payload":{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"big":9007199254740993}}'

test.each([
  ['another sender', `${begin},"id":"e1","from":"user-1","from":"agent-a",${list}}`, 'user-1'],
  ['another sender, by numbers', `${begin},"id":"e1","\\u0066rom":"user-1","from":"agent-a",${list}}`, 'user-1'],
  ['another message', `${begin},"id":"e1","from":"agent-a","payload":{"method":"evil"},${list}}`, 'evil'],
  [
    'another method',
    `${begin},"id":"e1","from":"agent-a",${list.replace('"method"', '"method":"evil","method"')}}`,
    'evil',
  ],
])('attack: an envelope that holds %s for whoever reads the first of two names', async (_, message, hidden) => {
  const { raw } = await startHub({ participants })
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  const heard: string[] = []
  b.socket.on('message', (data) => heard.push(String(data)))
  a.send(message)
  await b.hears((one) => one.payload?.method === 'tools/list')
  const text = heard.find((one) => one.includes('tools/list')) ?? ''
  expect(JSON.parse(text)).toMatchObject({ id: 'e1', from: 'agent-a', payload: { method: 'tools/list' } })
  expect(text).not.toContain(hidden)
  expect(text).toContain('9007199254740993')
})

test('what can be read in one way only goes on as it was written', async () => {
  const { raw } = await startHub({ participants })
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  const heard: string[] = []
  b.socket.on('message', (data) => heard.push(String(data)))
  const message = `{ "protocol": "mcp-x/v0", "id": "e2", "note": "caf\\u00e9",${begin.slice('{"protocol":"mcp-x/v0",'.length)},"from":"agent-a", ${list} }`
  a.send(message)
  await b.hears((one) => one.id === 'e2')
  expect(heard).toContain(message)
})
