import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkForm } from '../../../src/elicitation/form/check.ts'
import { defaultsOf, withDefaults } from '../../../src/elicitation/form/defaults.ts'
import { validateContent } from '../../../src/elicitation/form/validate.ts'
import { anyForm, anyRubbish, contentFor } from './arbitraries.ts'

const schema = checkForm({
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive'], default: 'active' },
    verified: { type: 'boolean', default: true },
    tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['b'] },
    toString: { type: 'string' },
  },
})

const all = { name: 'John Doe', age: 30, score: 95.5, status: 'active', verified: true, tags: ['b'] }

test('a form suggests all its defaults, and nothing for the rest (E11-16)', () => {
  expect(defaultsOf(schema)).toStrictEqual(all)
})

test.each([undefined, null, {}])('an answer of %s is filled with all of them (E11-16)', (content) => {
  expect(withDefaults(schema, content)).toStrictEqual(all)
})

test('what was answered stays, also false, zero and empty; null is no answer (E11-16)', () => {
  const content = { name: '', age: 0, score: null, verified: false, tags: [], more: 1 }
  expect(withDefaults(schema, content)).toStrictEqual({ ...all, ...content, score: 95.5 })
})

test.each(['text', 7, [], new Date(0)])('%s is no answer, and is left for validation to refuse', (content) => {
  expect(withDefaults(schema, content)).toBe(content)
})

test('a valid answer filled with defaults is still valid, and rubbish never throws (E11-16)', () => {
  fc.assert(
    fc.property(
      anyForm.chain((form) => contentFor(form).map((content) => [form, content] as const)),
      anyRubbish,
      ([form, content], rubbish) => {
        expect(validateContent(form, withDefaults(form, content)).kind).toBe('valid')
        validateContent(form, withDefaults(form, rubbish()))
      },
    ),
    { numRuns: 1_000 },
  )
})
