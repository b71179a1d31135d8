import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ExactNumber } from '../../../src/base/json.ts'
import { checkForm } from '../../../src/elicitation/form/check.ts'
import type { Content, FormSchema } from '../../../src/elicitation/form/schema.ts'
import { validateContent } from '../../../src/elicitation/form/validate.ts'
import { anyForm, anyRubbish, contentFor, hostileMakers, misfitsFor, mutated } from './arbitraries.ts'

const colours = { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] }
const list = {
  type: 'array',
  title: 'Colours',
  items: { anyOf: ['a', 'b', 'c'].map((c) => ({ const: c, title: c.toUpperCase() })) },
}

function verdict(field: object, value: unknown, required: string[] = []) {
  const schema = checkForm({ type: 'object', properties: { favourite_one: field }, required })
  const validated = validateContent(schema, { favourite_one: value })
  return validated.kind === 'valid' ? validated.content : validated.errors[0]?.message
}

const messages: [message: string, field: object, value: unknown][] = [
  ['Favourite one must be text.', { type: 'string' }, 5],
  ['Favourite one holds characters that are not text.', { type: 'string' }, 'half \ud83d'],
  ['Favourite one holds characters that are not text.', { type: 'string' }, 'nul \0'],
  ['Name must have at least 1 character.', { type: 'string', title: 'Name', minLength: 1 }, ''],
  ['Name must have at least 3 characters.', { type: 'string', title: 'Name', minLength: 3 }, '😀😀'],
  ['Name must have at most 2 characters.', { type: 'string', title: 'Name', maxLength: 2 }, 'abc'],
  ['E-mail must look like name@example.com.', { type: 'string', title: 'E-mail', format: 'email' }, 'ada'],
  [
    'Site must be a full address, such as https://example.com.',
    { type: 'string', title: 'Site', format: 'uri' },
    'www.x.y',
  ],
  ['Day must be a date, such as 2026-07-28.', { type: 'string', title: 'Day', format: 'date' }, '2026-02-30'],
  [
    'Start must be a date and time with its offset, such as 2026-07-28T09:30:00Z.',
    { type: 'string', title: 'Start', format: 'date-time' },
    '2026-07-28T09:30',
  ],
  ['Age must be a whole number.', { type: 'integer', title: 'Age' }, 1.5],
  ['Age must be a whole number.', { type: 'integer', title: 'Age' }, '18'],
  ['Age must be a number.', { type: 'number', title: 'Age' }, '18'],
  ['Age must be a number.', { type: 'number', title: 'Age' }, Number.NaN],
  ['Age must be a number.', { type: 'number', title: 'Age' }, Number.NEGATIVE_INFINITY],
  ['Age has more digits than are kept exactly.', { type: 'integer', title: 'Age' }, '9007199254740993'],
  ['Age has more digits than are kept exactly.', { type: 'number', title: 'Age' }, new ExactNumber('9007199254740993')],
  ['Age must be at least 18.', { type: 'integer', title: 'Age', minimum: 18 }, 17],
  ['Age must be at most 99.5.', { type: 'number', title: 'Age', maximum: 99.5 }, 100],
  ['Agreed must be yes or no.', { type: 'boolean', title: 'Agreed' }, 'yes'],
  ['Choose one of: Red, Green.', colours, 'Red'],
  ['Choose one of: Red, Green.', colours, ['r']],
  ['Choose from: A, B, C.', list, 'a'],
  ['Choose from: A, B, C.', list, ['a', 'd']],
  ['Choose from: A, B, C.', list, ['a', 1]],
  ['Colours must have each choice only once.', list, ['a', 'a']],
  ['Colours must have at least 2 choices.', { ...list, minItems: 2 }, ['a']],
  ['Colours must have at most 1 choice.', { ...list, maxItems: 1 }, ['a', 'b']],
]

test.each(messages)('a person reads "%s" (E06-07, E11-40)', (message, field, value) => {
  expect(verdict(field, value)).toBe(message)
})

const fitting: [field: object, value: unknown][] = [
  [{ type: 'string', minLength: 2, maxLength: 2 }, '😀😀'],
  [{ type: 'string' }, ''],
  [{ type: 'integer' }, 1e21],
  [{ type: 'integer', minimum: 1, maximum: 1 }, 1],
  [{ type: 'boolean' }, false],
  [colours, 'g'],
  [list, []],
  [{ ...list, minItems: 2, maxItems: 2 }, ['c', 'a']],
]

test.each(fitting)('the field %j takes %j (E06-07, E11-40)', (field, value) => {
  expect(verdict(field, value, ['favourite_one'])).toEqual({ favourite_one: value })
})

test('of many options the first ten are named', () => {
  const many = { type: 'string', enum: Array.from({ length: 12 }, (_, index) => `o${index}`) }
  expect(verdict(many, 'x')).toBe('Choose one of: o0, o1, o2, o3, o4, o5, o6, o7, o8, o9 and 2 more.')
})

test.each([undefined, null])('%s is no answer: fine for an optional field, missing for a required one', (nothing) => {
  expect(verdict({ type: 'string' }, nothing)).toEqual({})
  expect(verdict({ type: 'string' }, nothing, ['favourite_one'])).toBe('Favourite one is required.')
})

describe('labels', () => {
  const named: [name: string, label: string][] = [
    ['name', 'Name'],
    ['firstName', 'First name'],
    ['first_name', 'First name'],
    ['user-ID', 'User ID'],
    ['address.line2Text', 'Address line2 text'],
    ['été', 'Été'],
    ['😀', '😀'],
    ['__', '__'],
  ]
  test.each(named)('the field %s is called %s', (name, label) => {
    const schema = checkForm({
      type: 'object',
      properties: { [name]: { type: 'string', title: ' ' } },
      required: [name],
    })
    expect(validateContent(schema, {})).toEqual({
      kind: 'invalid',
      errors: [{ field: name, message: `${label} is required.` }],
    })
  })
})

describe('the whole answer', () => {
  const schema = checkForm({
    type: 'object',
    properties: { toString: { type: 'string' }, age: { type: 'integer' }, ok: { type: 'boolean' } },
    required: ['toString'],
  })

  test('what every object inherits is no answer', () => {
    expect(validateContent(schema, {})).toMatchObject({ errors: [{ field: 'toString' }] })
    expect(validateContent(schema, { toString: 'mine' })).toEqual({ kind: 'valid', content: { toString: 'mine' } })
  })

  test('what was not asked for is dropped', () => {
    const content = JSON.parse('{"toString":"x","__proto__":{"polluted":true},"more":1}')
    expect(validateContent(schema, content)).toStrictEqual({ kind: 'valid', content: { toString: 'x' } })
  })

  test('each wrong field is named once, in the order of the form', () => {
    const validated = validateContent(schema, { age: 'x', ok: 1 })
    expect(validated.kind === 'invalid' && validated.errors.map(({ field }) => field)).toEqual([
      'toString',
      'age',
      'ok',
    ])
  })

  test.each([undefined, null, 'text', 5, [], new Date(0)])('%s is no answer to a form', (content) => {
    expect(validateContent(schema, content)).toEqual({
      kind: 'invalid',
      errors: [{ field: '', message: 'The answer must be an object with a value per field.' }],
    })
  })
})

test('what fits a form validates, and comes back as it was (E06-07, E11-40)', () => {
  fc.assert(
    fc.property(formAndContent, ([schema, content]) => {
      expect(validateContent(schema, content)).toStrictEqual({ kind: 'valid', content })
    }),
  )
})

test('breaking one rule of one field gives one error, on that field (E06-07, E11-40)', () => {
  const broken = formAndContent
    .filter(([schema]) => Object.keys(schema.properties).length > 0)
    .chain(([schema, content]) =>
      fc
        .constantFrom(...Object.entries(schema.properties))
        .chain(([name, field]) =>
          fc.constantFrom(...misfitsFor(field)).map((value) => ({ schema, content, name, value })),
        ),
    )
  fc.assert(
    fc.property(broken, ({ schema, content, name, value }) => {
      const validated = validateContent(schema, { ...content, [name]: value })
      expect(validated).toEqual({ kind: 'invalid', errors: [{ field: name, message: expect.stringMatching(/\.$/s) }] })
    }),
    { numRuns: 1_000 },
  )
})

describe('attack: answers made to break the validator', () => {
  test('a list that shows one thing when judged and another when kept', () => {
    let looks = 0
    const shifty = new Proxy(['a'], {
      get: (target, key) => (key === '0' ? 'evil' : Reflect.get(target, key)),
      getOwnPropertyDescriptor: () => {
        looks += 1
        return { value: looks > 1 ? 'evil' : 'a', configurable: true, enumerable: true, writable: true }
      },
    })
    expect(verdict(list, shifty)).toStrictEqual({ favourite_one: ['a'] })
  })

  test('a list without end', () => {
    expect(verdict(list, Object.assign([], { length: 4_294_967_295 }))).toBe('Choose from: A, B, C.')
  })

  test.each(hostileMakers.map((make, index) => [index, make()]))(
    'hostile object %i is invalid in every field',
    (_, value) => {
      for (const field of [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, colours, list]) {
        expect(verdict(field, value)).toEqual(expect.any(String))
      }
    },
  )

  test('10,000 malformed answers are valid or invalid, and nothing else happens', () => {
    const malformed = anyForm.chain((schema) =>
      fc.oneof({ arbitrary: mutated(contentFor(schema)), weight: 3 }, anyRubbish).map((make) => ({ schema, make })),
    )
    fc.assert(
      fc.property(malformed, ({ schema, make }) => {
        const validated = validateContent(schema, make())
        if (validated.kind === 'valid') expect(validateContent(schema, validated.content)).toStrictEqual(validated)
        else expect(validated.errors.length).toBeGreaterThan(0)
      }),
      { numRuns: 10_000 },
    )
  })
})

const formAndContent: fc.Arbitrary<[FormSchema, Content]> = anyForm.chain((schema) =>
  contentFor(schema).map((content): [FormSchema, Content] => [schema, content]),
)
