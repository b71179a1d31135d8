import { describe, expect, test } from 'vitest'
import { decide } from '../../src/approval/policy/decide.ts'
import { choiceForm, readEdits } from '../../src/approval/question/choice-form.ts'
import { choicesFor, choiceWords } from '../../src/approval/question/choices.ts'
import type { ToolCall } from '../../src/approval/tool-call.ts'
import { validateContent } from '../../src/elicitation/form/validate.ts'
import { aCall, alice } from '../support/approval/a-call.ts'
import { readPolicy } from '../support/policies.ts'

function formFor(call: ToolCall, rule: object = {}) {
  const decision = decide(readPolicy({ rules: [{ decide: 'ask', ...rule }] }), call)
  return choiceForm(call, decision, choicesFor(call, decision, alice, 'form'))
}

test('an approval in the client is one choice, narrowest first and none chosen beforehand, and a reason', () => {
  const call = aCall({ requester: { participant: alice, client: 'abc', clientName: 'Claude Code' } })
  expect(formFor(call)).toEqual({
    type: 'object',
    properties: {
      choice: {
        type: 'string',
        title: 'Decision',
        oneOf: [
          { const: 'allow_once', title: 'Allow once, with these arguments' },
          { const: 'always_allow/tool/hour/this', title: 'Allow write_file for an hour, for Claude Code (abc)' },
          { const: 'always_allow/tool/day/this', title: 'Allow write_file for a day, for Claude Code (abc)' },
          { const: 'always_allow/tool/revoked/this', title: 'Allow write_file until revoked, for Claude Code (abc)' },
          { const: 'always_allow/tool/revoked/all', title: 'Allow write_file until revoked, for all my clients' },
          {
            const: 'always_allow/server/hour/this',
            title: 'Allow every tool of files for an hour, for Claude Code (abc)',
          },
          { const: 'deny', title: 'Deny' },
          { const: 'always_deny/tool/revoked/this', title: 'Deny write_file until revoked, for Claude Code (abc)' },
        ],
      },
      reason: { type: 'string', title: 'Reason (optional)', maxLength: 1_000 },
    },
    required: ['choice'],
  })
})

test('what is said of somebody else is not called mine', () => {
  const choice = { kind: 'always_allow', scope: 'tool', lasts: 'day', client: 'all' } as const
  expect(choiceWords(choice, aCall(), false)).toBe('Allow write_file for a day, for all their clients')
  const named = aCall({ requester: { participant: alice, client: 'abc', clientName: 'abc' } })
  expect(choiceWords({ ...choice, client: 'this' }, named, false)).toBe('Allow write_file for a day, for abc')
})

test('editable arguments are fields with their values, and those given cannot be left empty', () => {
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
  expect(form?.required).toEqual(['choice', 'edit_path'])
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
  expect(validateContent(form, { choice: 'allow_once', edit_path: '/tmp/b' }).kind).toBe('invalid')
})
