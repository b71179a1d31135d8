import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkForm } from '../../../src/elicitation/form/check.ts'
import { coerceContent } from '../../../src/elicitation/form/coerce.ts'
import { isChoice } from '../../../src/elicitation/form/options.ts'
import { validateContent } from '../../../src/elicitation/form/validate.ts'
import { anyForm, contentFor } from './arbitraries.ts'

const form = (field: object, required: string[] = []) =>
  checkForm({ type: 'object', properties: { f: field }, required })
const coerced = (field: object, ...texts: string[]) =>
  coerceContent(
    form(field),
    texts.map((text) => ['f', text] as const),
  ).f

const text = { type: 'string' }
const list = { type: 'array', items: { type: 'string', enum: ['a', 'b', ' '] } }

const readings: [field: object, text: string, value: unknown][] = [
  [text, ' Ada ', ' Ada '],
  [text, 'a\r\nb\n', 'a\nb\n'],
  [text, '', undefined],
  [text, ' ', ' '],
  [{ ...text, format: 'email' }, ' ada@example.com ', 'ada@example.com'],
  [{ ...text, format: 'date' }, ' ', undefined],
  [{ type: 'integer' }, ' 42 ', 42],
  [{ type: 'integer' }, '-7', -7],
  [{ type: 'integer' }, '+7', 7],
  [{ type: 'integer' }, '1.0', 1],
  [{ type: 'integer' }, '9007199254740993', '9007199254740993'],
  [{ type: 'number' }, '1e3', 1000],
  [{ type: 'number' }, '.5', 0.5],
  [{ type: 'number' }, '5.', 5],
  [{ type: 'number' }, '1e21', 1e21],
  [{ type: 'number' }, '1e999', '1e999'],
  [{ type: 'number' }, '1,5', '1,5'],
  [{ type: 'number' }, '0x10', '0x10'],
  [{ type: 'number' }, 'Infinity', 'Infinity'],
  [{ type: 'number' }, '  ', undefined],
  [{ type: 'boolean' }, 'on', true],
  [{ type: 'boolean' }, ' TRUE ', true],
  [{ type: 'boolean' }, 'yes', true],
  [{ type: 'boolean' }, '1', true],
  [{ type: 'boolean' }, 'off', false],
  [{ type: 'boolean' }, 'False', false],
  [{ type: 'boolean' }, 'no', false],
  [{ type: 'boolean' }, '0', false],
  [{ type: 'boolean' }, 'maybe', 'maybe'],
  [{ type: 'boolean' }, '', undefined],
  [{ ...text, enum: ['a', 'b'] }, 'a', 'a'],
  [{ ...text, enum: ['a', 'b'] }, ' a', ' a'],
  [{ ...text, enum: ['a', 'b'] }, '', undefined],
  [{ ...text, enum: ['a', ''] }, '', ''],
  [list, 'a', ['a']],
  [list, '', []],
  [{ ...list, items: { anyOf: [{ const: '', title: 'None' }] } }, '', ['']],
]

test.each(readings)('for %j the text %j reads as %j', (field, given, value) => {
  expect(coerced(field, given)).toEqual(value)
})

test('a name that comes again is a list of choices, and else the last one counts', () => {
  expect(coerced(list, 'a', '', 'b')).toEqual(['a', 'b'])
  expect(coerced({ type: 'boolean' }, 'false', 'on')).toBe(true)
})

describe('what was not sent', () => {
  const browser = { absentCheckbox: false } as const

  test('is no answer on a command line', () => {
    for (const field of [text, { type: 'boolean' }, list]) expect(coerceContent(form(field), [])).toStrictEqual({})
  })

  test('is an unticked box in a browser', () => {
    expect(coerceContent(form({ type: 'boolean' }), [], browser)).toStrictEqual({ f: false })
    expect(coerceContent(form(list), [], browser)).toStrictEqual({ f: [] })
    expect(coerceContent(form(text), [], browser)).toStrictEqual({})
  })

  test('of a list that needs some, is no answer where none is needed', () => {
    const some = { ...list, minItems: 1 }
    expect(coerceContent(form(some), [], browser)).toStrictEqual({})
    expect(coerceContent(form(some, ['f']), [], browser)).toStrictEqual({ f: [] })
  })
})

test('an empty box of a required field is reported as missing', () => {
  const schema = form(text, ['f'])
  expect(validateContent(schema, coerceContent(schema, [['f', '']]))).toMatchObject({
    errors: [{ message: 'F is required.' }],
  })
})

test('names that the form does not ask for are left out, and inherited ones are no answer', () => {
  const schema = checkForm({ type: 'object', properties: { toString: text } })
  expect(coerceContent(schema, [['__proto__', 'x']])).toStrictEqual({})
  expect(coerceContent(schema, new Map([['toString', ['x']]]))).toStrictEqual({ toString: 'x' })
})

test('takes what browsers post', () => {
  const schema = checkForm({ type: 'object', properties: { age: { type: 'integer' }, tags: list } })
  expect(coerceContent(schema, new URLSearchParams('age=+42&tags=a&tags=b'))).toEqual({ age: 42, tags: ['a', 'b'] })
})

test('attack: one name a million times is gathered at once', () => {
  const pairs = Array.from({ length: 1_000_000 }, () => ['f', 'a'] as const)
  expect(coerceContent(form(list), pairs).f).toHaveLength(1_000_000)
  expect(coerceContent(form(list), new Map([['f', pairs.map(([, one]) => one)]])).f).toHaveLength(1_000_000)
})

test('an answer written out as text reads as the same answer', () => {
  const writable = anyForm.chain((schema) => contentFor(schema).map((content) => ({ schema, content })))
  fc.assert(
    fc.property(writable, ({ schema, content }) => {
      const kept = Object.entries(content).filter(([name, value]) => {
        const field = schema.properties[name]
        return field && (isChoice(field) ? value.toString() !== '' : value !== '')
      })
      const texts = kept.map(([name, value]) => [name, Array.isArray(value) ? value : [String(value)]] as const)
      expect(coerceContent(schema, texts)).toStrictEqual(Object.fromEntries(kept))
    }),
  )
})
