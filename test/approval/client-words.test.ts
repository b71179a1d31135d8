import { expect, test } from 'vitest'
import { decide } from '../../src/approval/policy/decide.ts'
import { clientWords, formForClient } from '../../src/approval/question/choice-form.ts'
import { localRequester } from '../../src/participant/requester.ts'
import { aCall } from '../support/approval/a-call.ts'
import { readPolicy } from '../support/policies.ts'

const decisionOn = (call = aCall()) => decide(readPolicy({ rules: [{ decide: 'ask', reason: 'Look twice.' }] }), call)

test('in their client the approver reads the call, every argument, and why they are asked', () => {
  const call = aCall({ arguments: { path: '/tmp/a', text: 'one\ntwo', options: { deep: true } } })
  expect(clientWords(call, decisionOn(call))).toBe(
    ['Run write_file on files?', 'path: /tmp/a', 'text: \n  one\n  two', 'options: {"deep":true}', 'Look twice.'].join(
      '\n',
    ),
  )
  const bare = aCall({ arguments: {} })
  expect(clientWords(bare, decisionOn(bare), 'Deploy?')).toBe('Deploy?\nIt has no arguments.\nLook twice.')
})

test('where no login tells programs apart, the approver reads that in their client', () => {
  const call = aCall({ arguments: {}, requester: localRequester })
  expect(clientWords(call, decisionOn(call)).split('\n').at(-1)).toBe(
    'Without a login, Assent cannot tell the programs on this machine apart: your yes counts for any of them.',
  )
})

test('trap 15: names that hide something are made visible', () => {
  const call = aCall({ tool: 'write\u202e_file', server: 'fi\nles', arguments: {} })
  const [first] = clientWords(call, decisionOn(call)).split('\n')
  expect(first).not.toMatch(/\u202e/)
  expect(first).toContain('les?')
})

test('what is too long for a client is for the page: nothing is ever cut off', () => {
  expect(formForClient(aCall(), decisionOn())).toBeDefined()
  const long = aCall({ arguments: { content: 'x'.repeat(4_000) } })
  expect(formForClient(long, decisionOn(long))).toBeUndefined()
})
