import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkForm } from '../../../src/elicitation/form/check.ts'
import { defaultFormLimits } from '../../../src/elicitation/form/limits.ts'
import { FormRefused } from '../../../src/elicitation/form/read/refused.ts'
import { anyForm, anyRubbish, hostileMakers, mutated } from './arbitraries.ts'

const text = { type: 'string' }
const form = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const field = (one: unknown) => form({ age: one })

function refusal(schema: unknown, reading: 'exact' | 'tolerant' = 'exact', limits = defaultFormLimits): FormRefused {
  try {
    checkForm(schema, limits, reading)
  } catch (error) {
    if (error instanceof FormRefused) return error
    throw error
  }
  throw new Error('was not refused')
}

const accepted: [string, object][] = [
  ['no fields at all', form({})],
  [
    'text with everything',
    field({ type: 'string', title: 'T', description: 'D', minLength: 1, maxLength: 5, default: 'x' }),
  ],
  ['each format', form({ a: { type: 'string', format: 'email' }, b: { type: 'string', format: 'date-time' } })],
  ['a number with bounds', field({ type: 'number', minimum: -1.5, maximum: 2.5, default: 0.5 })],
  ['an integer', field({ type: 'integer', minimum: 0.5, maximum: 1.5, default: 1 })],
  ['a boolean', field({ type: 'boolean', default: false })],
  ['plain options', field({ type: 'string', enum: ['a', 'b'], default: 'b' })],
  ['options with enumNames', field({ type: 'string', enum: ['a', 'b'], enumNames: ['A', 'A'] })],
  ['titled options', field({ type: 'string', oneOf: [{ const: 'a', title: 'A' }] })],
  [
    'a list of options',
    field({ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2, default: ['b'] }),
  ],
  ['a list of titled options', field({ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } })],
  [
    'required fields',
    form({ a: text, b: text }, { required: ['b', 'a'], $schema: 'https://json-schema.org/draft/2020-12/schema' }),
  ],
  ['names that every object inherits', form({ toString: text, hasOwnProperty: text }, { required: ['toString'] })],
]

test.each(accepted)('a form takes %s (E11-15)', (_, schema) => {
  expect(checkForm(schema)).toStrictEqual(schema)
  expect(checkForm(schema, defaultFormLimits, 'tolerant')).toStrictEqual(schema)
})

const alwaysRefused: [path: string, schema: unknown][] = [
  ['', null],
  ['', 'form'],
  ['', []],
  ['type', { properties: {} }],
  ['type', { type: 'array', properties: {} }],
  ['properties', { type: 'object' }],
  ['properties', { type: 'object', properties: [] }],
  ['$schema', form({}, { $schema: 1 })],
  ['anyOf', form({}, { anyOf: [] })],
  ['$defs', form({}, { $defs: {} })],
  ['allOf', form({}, { allOf: [{}] })],
  ['properties.age', field('text')],
  ['properties.age', field(null)],
  ['properties.age.type', field({})],
  ['properties.age.type', field({ $ref: '#/x' })],
  ['properties.age.type', field({ type: 'object', properties: {} })],
  ['properties.age.type', field({ type: ['string', 'null'] })],
  ['properties.age.$ref', field({ type: 'string', $ref: '#/x' })],
  ['properties.age.not', field({ type: 'string', not: {} })],
  ['properties.age.if', field({ type: 'number', if: {} })],
  ['properties.age.const', field({ type: 'string', const: 'x' })],
  ['properties.age.title', field({ type: 'string', title: 5 })],
  ['properties.age.title', field({ type: 'string', title: 'half a \ud83d pair' })],
  ['properties.age.description', field({ type: 'boolean', description: 'nul \0' })],
  ['properties.age.minLength', field({ type: 'string', minLength: -1 })],
  ['properties.age.minLength', field({ type: 'string', minLength: 2, maxLength: 1 })],
  ['properties.age.maxLength', field({ type: 'string', maxLength: 1.5 })],
  ['properties.age.format', field({ type: 'string', format: 'password' })],
  ['properties.age.default', field({ type: 'string', default: 5 })],
  ['properties.age.default', field({ type: 'string', format: 'email', default: 'nobody' })],
  ['properties.age.minimum', field({ type: 'number', minimum: '1' })],
  ['properties.age.minimum', field({ type: 'number', minimum: Number.NaN })],
  ['properties.age.minimum', field({ type: 'number', minimum: 2, maximum: 1 })],
  ['properties.age.minimum', field({ type: 'integer', minimum: 0.2, maximum: 0.8 })],
  ['properties.age.maximum', field({ type: 'integer', maximum: Number.POSITIVE_INFINITY })],
  ['properties.age.default', field({ type: 'integer', default: 1.5 })],
  ['properties.age.default', field({ type: 'number', minimum: 1, default: 0 })],
  ['properties.age.default', field({ type: 'boolean', default: 'true' })],
  ['properties.age.enum', field({ type: 'string', enum: [] })],
  ['properties.age.enum', field({ type: 'string', enum: 'a' })],
  ['properties.age.enum', field({ type: 'string', enum: ['a', 'a'] })],
  ['properties.age.enum', field({ type: 'number', enum: [1] })],
  ['properties.age.enum.1', field({ type: 'string', enum: ['a', 1] })],
  ['properties.age.enum.0', field({ type: 'string', enum: ['half a \ud83d pair'] })],
  ['properties.age.writeOnly', field({ type: 'string', writeOnly: true })],
  ['properties.age.enumNames', field({ type: 'string', enumNames: ['A'] })],
  ['properties.age.enumNames', field({ type: 'string', enum: ['a'], enumNames: ['A', 'B'] })],
  ['properties.age.enumNames', field({ type: 'string', oneOf: [{ const: 'a', title: 'A' }], enumNames: ['A'] })],
  ['properties.age.enum', field({ type: 'string', enum: ['a'], oneOf: [{ const: 'a', title: 'A' }] })],
  ['properties.age.minLength', field({ type: 'string', enum: ['a'], minLength: 1 })],
  ['properties.age.default', field({ type: 'string', enum: ['a'], default: 'b' })],
  ['properties.age.oneOf', field({ type: 'string', oneOf: [] })],
  ['properties.age.oneOf', field({ type: 'string', oneOf: { const: 'a' } })],
  ['properties.age.oneOf.0', field({ type: 'string', oneOf: ['a'] })],
  ['properties.age.oneOf.0.title', field({ type: 'string', oneOf: [{ const: 'a' }] })],
  ['properties.age.oneOf.0.const', field({ type: 'string', oneOf: [{ const: 1, title: 'A' }] })],
  ['properties.age.oneOf.0.oneOf', field({ type: 'string', oneOf: [{ const: 'a', title: 'A', oneOf: [] }] })],
  [
    'properties.age.oneOf',
    field({
      type: 'string',
      oneOf: [
        { const: 'a', title: 'A' },
        { const: 'a', title: 'B' },
      ],
    }),
  ],
  ['properties.age.items', field({ type: 'array' })],
  ['properties.age.items.type', field({ type: 'array', items: { type: 'object' } })],
  ['properties.age.items.type', field({ type: 'array', items: { enum: ['a'] } })],
  ['properties.age.items.enum', field({ type: 'array', items: { type: 'string' } })],
  ['properties.age.items.anyOf', field({ type: 'array', items: { anyOf: [] } })],
  ['properties.age.items.minLength', field({ type: 'array', items: { type: 'string', enum: ['a'], minLength: 1 } })],
  [
    'properties.age.minItems',
    field({ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 2, maxItems: 1 }),
  ],
  ['properties.age.minItems', field({ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 3 })],
  ['properties.age.default', field({ type: 'array', items: { type: 'string', enum: ['a'] }, default: 'a' })],
  [
    'properties.age.default',
    field({ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a', 'a'] }),
  ],
  ['properties.age.default.0', field({ type: 'array', items: { type: 'string', enum: ['a'] }, default: [1] })],
  ['properties.', form({ '': text })],
  ['properties.constructor', form({ constructor: text })],
  ['properties.prototype', form({ prototype: text })],
  ['properties.__proto__', form(JSON.parse('{"__proto__":{"type":"string"}}'))],
  ['properties.a\ufffdb', form({ 'a\u0007b': text })],
  ['properties.\ufffd', form({ '\ud800': text })],
  [`properties.${'n'.repeat(60)}`, form({ ['n'.repeat(201)]: text })],
  ['required', form({ a: text }, { required: 'a' })],
  ['required', form({ a: text }, { required: ['a', 'a'] })],
  ['required.0', form({ a: text }, { required: ['toString'] })],
]

test.each(alwaysRefused)('a problem at "%s" is refused, however tolerant the reading (E11-15): %j', (path, schema) => {
  for (const reading of ['exact', 'tolerant'] as const) {
    expect(refusal(schema, reading).problems[0]).toEqual({
      path,
      problem: expect.stringMatching(/^(must|has no place)/),
    })
  }
})

describe('what only a tolerant reading takes', () => {
  const options = { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }
  const dropped: [path: string, schema: object, read: object][] = [
    ['additionalProperties', form({}, { additionalProperties: false }), form({})],
    ['title', form({}, { title: 'A form' }), form({})],
    ['$id', form({}, { $id: 'x' }), form({})],
    ['properties.age.pattern', field({ type: 'string', pattern: '(a+)+$' }), field(text)],
    ['properties.age.exclusiveMinimum', field({ type: 'number', exclusiveMinimum: 0 }), field({ type: 'number' })],
    ['properties.age.x-order', field({ ...text, 'x-order': { deep: [1] } }), field(text)],
    ['properties.age.maxItems', field({ ...options, maxItems: 9 }), field(options)],
    [
      'properties.age.items.type',
      field({ type: 'array', items: { type: 'string', anyOf: [{ const: 'a', title: 'A' }] } }),
      field({ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }),
    ],
    [
      'properties.age.oneOf.0.type',
      field({ type: 'string', oneOf: [{ type: 'string', const: 'a', title: 'A' }] }),
      field({ type: 'string', oneOf: [{ const: 'a', title: 'A' }] }),
    ],
  ]

  test.each(dropped)('%s is refused exactly and dropped tolerantly', (path, schema, read) => {
    expect(refusal(schema).problems).toEqual([{ path, problem: expect.any(String) }])
    expect(checkForm(schema, defaultFormLimits, 'tolerant')).toStrictEqual(read)
  })
})

describe('a refusal', () => {
  test('names the first problem with its remedy, and carries them all', () => {
    const refused = refusal(form({ age: { type: 'integer', minimum: 'x', pattern: 'y' }, b: {} }, { required: ['c'] }))

    expect(refused.code).toBe('form_refused')
    expect(refused.message).toBe('This form cannot be asked: properties.age.minimum must be a number.')
    expect(refused.problems.map(({ path }) => path)).toEqual([
      'properties.age.minimum',
      'properties.age.pattern',
      'properties.b.type',
      'required.0',
    ])
    expect(refused.detail).toContain('properties.age.pattern has no place here in a form: leave it out.')
  })

  test('of the whole schema says so, and that is all there is to say', () => {
    expect(refusal(7).message).toBe('This form cannot be asked: the schema must be an object.')
    expect(refusal(7).problems).toHaveLength(1)
  })

  test('lists no more problems than a person might read', () => {
    const wrong = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`f${index}`, {}]))
    expect(refusal(form(wrong)).problems).toHaveLength(20)
  })

  test('shows nothing of a name that could hurt a terminal or a log', () => {
    expect(refusal(form({ '\u001b[2Jx\u202e': text })).message).toBe(
      'This form cannot be asked: properties.\ufffd[2Jx\ufffd must have another name: short and without control characters.',
    )
  })
})

describe('limits', () => {
  test('too many fields', () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, text]))
    expect(refusal(form(many)).problems).toEqual([{ path: 'properties', problem: 'must have at most 100 entries' }])
  })

  test('too many options, in every shape', () => {
    const limits = { ...defaultFormLimits, options: 2 }
    const titled = ['a', 'b', 'c'].map((value) => ({ const: value, title: value }))
    const shapes = [
      { type: 'string', enum: ['a', 'b', 'c'] },
      { type: 'string', oneOf: titled },
      { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } },
      { type: 'array', items: { anyOf: titled } },
    ]
    for (const shape of shapes) {
      expect(refusal(field(shape), 'exact', limits).problems[0]?.problem).toBe('must be a list of 1 to 2 entries')
    }
  })

  test('bytes are those of the JSON text, in UTF-8', () => {
    const schema = field({ type: 'string', title: 'ü'.repeat(10) })
    const bytes = Buffer.byteLength(JSON.stringify(schema))

    expect(checkForm(schema, { ...defaultFormLimits, bytes })).toStrictEqual(schema)
    expect(refusal(schema, 'exact', { ...defaultFormLimits, bytes: bytes - 1 }).message).toBe(
      `This form cannot be asked: the schema must be at most ${bytes - 1} bytes of JSON text: shorten it.`,
    )
  })

  test('what comes after too much text is not read', () => {
    expect(refusal(form({ a: { type: 'string', title: 'x'.repeat(70_000) }, b: {} })).problems).toHaveLength(1)
  })

  test('attack: one long text shared by every option is counted each time, before it is looked at', () => {
    const title = 'x'.repeat(60_000)
    const oneOf = Array.from({ length: 500 }, (_, index) => ({ const: `${index}`, title }))
    const fields = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`f${index}`, { type: 'string', oneOf }]),
    )
    expect(refusal(form(fields)).problems).toEqual([{ path: '', problem: expect.stringContaining('65536 bytes') }])
  })
})

describe('what comes out', () => {
  test('is a frozen copy: neither the author nor a reader can change it later', () => {
    const schema = field({ type: 'string', oneOf: [{ const: 'a', title: 'A' }] })
    const checked = checkForm(schema)
    const [option] = Object.values(schema.properties).flatMap((one) => (one as { oneOf: { title: string }[] }).oneOf)
    if (option) option.title = 'B'

    expect(checked).toStrictEqual(field({ type: 'string', oneOf: [{ const: 'a', title: 'A' }] }))
    expect(isDeeplyFrozen(checked)).toBe(true)
  })

  test('takes an undefined keyword for an absent one, as JSON does', () => {
    const schema = form(
      { a: { type: 'string', title: undefined, pattern: undefined }, b: undefined },
      { required: undefined },
    )
    expect(checkForm(schema)).toStrictEqual(form({ a: text }))
  })

  test('any valid form reads as itself, exactly and tolerantly, also from JSON text (E11-15)', () => {
    fc.assert(
      fc.property(anyForm, (schema) => {
        const checked = checkForm(schema)
        expect(checked).toStrictEqual(schema)
        expect(isDeeplyFrozen(checked)).toBe(true)
        expect(checkForm(JSON.parse(JSON.stringify(schema)), defaultFormLimits, 'tolerant')).toStrictEqual(schema)
      }),
    )
  })
})

describe('attack: schemas made to break the checker', () => {
  test.each(hostileMakers.map((make, index) => [index, make()]))(
    'hostile object %i is refused, at the root and as a field',
    (_, schema) => {
      for (const reading of ['exact', 'tolerant'] as const) {
        expect(refusal(schema, reading)).toBeInstanceOf(FormRefused)
        expect(refusal(field(schema), reading)).toBeInstanceOf(FormRefused)
        expect(refusal(field({ type: 'string', enum: schema }), reading)).toBeInstanceOf(FormRefused)
        expect(refusal(form({ a: text }, { required: schema }), reading)).toBeInstanceOf(FormRefused)
      }
      expect({}).not.toHaveProperty('polluted')
    },
  )

  test('a getter is never run, and what it would give is not there', () => {
    const schema = Object.defineProperty(form({}), 'title', { get: () => expect.fail('was run'), enumerable: true })
    expect(checkForm(schema)).toStrictEqual(form({}))
  })

  test('10,000 malformed schemas are refused or read, and nothing else happens', () => {
    const malformed = fc.oneof({ arbitrary: mutated(anyForm), weight: 3 }, anyRubbish)
    fc.assert(
      fc.property(malformed, fc.constantFrom('exact', 'tolerant'), (make, reading) => {
        const checked = checkedOrRefused(make(), reading)
        if (checked !== undefined) expect(checkForm(checked)).toStrictEqual(checked)
      }),
      { numRuns: 10_000 },
    )
  })
})

function checkedOrRefused(schema: unknown, reading: 'exact' | 'tolerant') {
  try {
    return checkForm(schema, defaultFormLimits, reading)
  } catch (error) {
    if (error instanceof FormRefused) return undefined
    throw error
  }
}

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen)
}
