import { expect, test } from 'vitest'
import { applyEdits, type Validate } from '../../src/approval/question/edit.ts'
import { callDigest } from '../../src/approval/tool-call.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { aCall } from '../support/approval/a-call.ts'

const call = aCall()
const fine: Validate = () => []

test('what the approver changed is what runs, with its own digest and the difference', () => {
  const edited = applyEdits(call, ['path', 'mode'], { path: '/tmp/b', mode: 'a' }, fine)
  if (edited.kind !== 'edited') throw new Error('It is edited.')
  expect(edited.call).toEqual({ ...call, arguments: { path: '/tmp/b', content: 'hello', mode: 'a' } })
  expect(edited.digest).toBe(callDigest(edited.call))
  expect(edited.digest).not.toBe(callDigest(call))
  expect(edited.changes).toEqual([
    { name: 'path', before: '/tmp/notes.txt', after: '/tmp/b' },
    { name: 'mode', after: 'a' },
  ])
})

test('what is the same as before is no change, also where the rule lets nobody edit', () => {
  const nested = aCall({ arguments: { a: { x: 1, y: 2 } } })
  expect(applyEdits(nested, [], { a: { y: 2, x: 1 } }, fine)).toEqual({ kind: 'unchanged' })
  expect(applyEdits(call, ['path'], {}, fine)).toEqual({ kind: 'unchanged' })
  expect(applyEdits(call, ['path'], { path: undefined }, fine)).toEqual({ kind: 'unchanged' })
})

test('attack: an approver, or whoever speaks for them, edits what the rule does not let them', () => {
  expect(applyEdits(call, ['path'], { path: '/tmp/b', content: 'evil' }, fine)).toEqual({
    kind: 'refused',
    errors: ['content must stay as it is.'],
  })
})

test('what the tool would not take is refused, in the words of the validator', () => {
  const seen: [JsonObject, JsonObject][] = []
  const strict: Validate = (schema, value) => {
    seen.push([schema, value])
    return ['path must be text.']
  }
  expect(applyEdits(call, ['path'], { path: 7 }, strict)).toEqual({ kind: 'refused', errors: ['path must be text.'] })
  expect(seen).toEqual([[call.inputSchema, { path: 7, content: 'hello' }]])
})

test('a tool that does not say what it takes cannot be edited', () => {
  const { inputSchema: _, ...blind } = call
  expect(applyEdits(blind, ['path'], { path: 'x' }, fine).kind).toBe('refused')
})

test('attack: an argument named like the prototype is an argument', () => {
  const edits = JSON.parse('{"__proto__": {"admin": true}}') as JsonObject
  const edited = applyEdits(call, ['__proto__'], edits, fine)
  if (edited.kind !== 'edited') throw new Error('It is edited.')
  expect(Object.keys(edited.call.arguments)).toContain('__proto__')
  expect((edited.call.arguments as { admin?: unknown }).admin).toBeUndefined()
})
