import { describe, expect, test } from 'vitest'
import { decide } from '../../src/approval/policy/decide.ts'
import { choiceForm, readEdits } from '../../src/approval/question/choice-form.ts'
import { choicesFor, choiceTitle, choiceWords } from '../../src/approval/question/choices.ts'
import type { ToolCall } from '../../src/approval/tool-call.ts'
import { validateContent } from '../../src/elicitation/form/validate.ts'
import { aCall, alice } from '../support/approval/a-call.ts'
import { readPolicy } from '../support/policies.ts'

function formFor(call: ToolCall, rule: object = {}) {
  const decision = decide(readPolicy({ rules: [{ decide: 'ask', ...rule }] }), call)
  return choiceForm(call, decision, choicesFor(call, decision, alice, 'form'))
}

test('an approval in the client is one choice and nothing else, narrowest first and none chosen beforehand', () => {
  const call = aCall({ requester: { participant: alice, client: 'abc', clientName: 'Claude Code' } })
  expect(formFor(call)).toEqual({
    type: 'object',
    properties: {
      choice: {
        type: 'string',
        title: 'Decision',
        description: 'What lasts is for Claude Code (abc); "any client" is for all my clients.',
        oneOf: [
          { const: 'allow_once', title: 'Allow once' },
          { const: 'always_allow/tool/hour/this', title: 'This tool, 1 hour' },
          { const: 'always_allow/tool/day/this', title: 'This tool, 1 day' },
          { const: 'always_allow/tool/revoked/this', title: 'This tool, until revoked' },
          { const: 'always_allow/tool/revoked/all', title: 'This tool, until revoked, any client' },
          { const: 'always_allow/server/hour/this', title: 'The whole server, 1 hour' },
          { const: 'deny', title: 'Deny' },
          { const: 'always_deny/tool/revoked/this', title: 'Deny this tool, until revoked' },
        ],
      },
    },
    required: ['choice'],
  })
})

test('clients show every title in full: each is shorter than 40 characters', () => {
  const call = aCall({ tool: 'a'.repeat(64), server: 'b'.repeat(32) })
  const decision = decide(readPolicy({ rules: [{ decide: 'ask' }] }), call)
  for (const choice of choicesFor(call, decision, alice, 'form')) expect(choiceTitle(choice).length).toBeLessThan(40)
})

test('what is said of somebody else is not called mine', () => {
  const choice = { kind: 'always_allow', scope: 'tool', lasts: 'day', client: 'all' } as const
  expect(choiceWords(choice, aCall(), false)).toBe('Allow write_file for a day, for all their clients')
  const named = aCall({ requester: { participant: alice, client: 'abc', clientName: 'abc' } })
  expect(choiceWords({ ...choice, client: 'this' }, named, false)).toBe('Allow write_file for a day, for abc')
})

test('editable arguments are fields with their values, which nobody has to fill in', () => {
  const inputSchema = {
    type: 'object',
    properties: {
      path: { type: 'string', title: 'Where', default: '/' },
      mode: { type: 'string', enum: ['a', 'w'], default: 'w' },
    },
  }
  const form = formFor(aCall({ inputSchema }), { editable: ['path', 'mode', 'unknown'] })
  expect(form?.properties).toMatchObject({
    edit_path: { type: 'string', title: 'Where', default: '/tmp/notes.txt' },
    edit_mode: { type: 'string', title: 'mode', enum: ['a', 'w'] },
  })
  // The tool's own default is not what the call says.
  expect(form?.properties.edit_mode).not.toHaveProperty('default')
  expect(form?.required).toEqual(['choice'])
  expect(form?.properties).not.toHaveProperty('edit_unknown')
})

test('an argument called choice is not the choice', () => {
  const inputSchema = { type: 'object', properties: { choice: { type: 'string' } } }
  const form = formFor(aCall({ inputSchema, arguments: { choice: 'allow_once' } }), { editable: ['choice'] })
  expect(form?.properties.choice).not.toHaveProperty('default')
  expect(form?.properties.edit_choice).toHaveProperty('default', 'allow_once')
})

describe('the page must be used', () => {
  const withSchema = (schema: object | undefined, given: object = { x: 1 }) =>
    aCall({
      arguments: given as ToolCall['arguments'],
      inputSchema: { type: 'object', properties: { x: schema } } as NonNullable<ToolCall['inputSchema']>,
    })
  const x = { editable: ['x'] }
  test.each<[string, ToolCall, object]>([
    ['when the rule says so', aCall(), { answer: 'page' }],
    ['when someone else approves', aCall(), { approvers: ['group:admins'] }],
    ['for hidden characters', aCall({ arguments: { path: 'a\u200bb' } }), {}],
    ['for hidden characters in a name', aCall({ arguments: { 'a\u202e': 1 } }), {}],
    ['for look-alikes', aCall({ arguments: { to: 'p\u0430ypal' } }), {}],
    ['for an argument that is not flat', withSchema({ type: 'object' }, { x: {} }), x],
    ['for an argument that nobody described', withSchema(undefined), x],
    ['for a tool that nobody described', aCall({ arguments: { x: 1 }, inputSchema: {} }), x],
    ['for a value of another type', withSchema({ type: 'string' }), x],
    [
      'for what looks like a secret',
      aCall({
        arguments: { password: 'x' },
        inputSchema: { type: 'object', properties: { password: { type: 'string' } } },
      }),
      { editable: ['password'] },
    ],
    ['for a value too long', withSchema({ type: 'string' }, { x: 'a'.repeat(70_000) }), x],
  ])('%s', (_, call, rule) => expect(formFor(call, rule)).toBeUndefined())
})

test('where the requester is one of those named, their client may ask them', () => {
  expect(formFor(aCall(), { approvers: ['group:admins', alice] })).toBeDefined()
})

test('an answer to the form holds the edits, and only those', () => {
  const form = formFor(aCall(), { editable: ['path', 'content'] })
  if (form === undefined) throw new Error('There is a form.')
  const answer = { choice: 'allow_once', edit_path: '/tmp/b', edit_content: 'hello', edit_other: 'x', path: '/etc' }
  const valid = validateContent(form, answer)
  if (valid.kind !== 'valid') throw new Error('The answer fits.')
  expect(readEdits(valid.content, ['path', 'content'])).toEqual({ path: '/tmp/b', content: 'hello' })
  expect(readEdits({ choice: 'deny' }, ['path'])).toEqual({})
  expect(validateContent(form, { choice: 'allow_once' }).kind).toBe('valid')
})
