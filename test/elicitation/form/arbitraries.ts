import { types } from 'node:util'
import fc from 'fast-check'
import { isChoice, optionsOf } from '../../../src/elicitation/form/options.ts'
import type {
  BooleanField,
  ChoiceField,
  ChoicesField,
  Content,
  Field,
  FieldValue,
  FormSchema,
  NumberField,
  TextField,
} from '../../../src/elicitation/form/schema.ts'

/** Text in any script, emoji and all, that is text. */
const anyText = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !text.includes('\0'))

/** Names that forms may use, among them those that every object inherits. */
const anyName = fc
  .oneof(
    fc.stringMatching(/^[a-z][a-zA-Z0-9_-]{0,10}$/),
    fc.constantFrom('toString', 'hasOwnProperty', 'valueOf', 'a_1', 'a_2', '7', 'length', 'é', 'a.b'),
    anyText.filter((text) => text !== '' && text.length <= 200 && !/\p{Cc}/u.test(text)),
  )
  .filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name))

const labels = { title: maybe(anyText), description: maybe(anyText) }
const examples = {
  email: ['ada@example.com', 'jürgen@müller.example', 'a.b+c@x.y.z'],
  uri: ['https://example.com/a?b=c#d', 'mailto:ada@example.com', 'urn:isbn:0451450523'],
  date: ['2026-07-28', '2024-02-29', '0000-01-01'],
  'date-time': ['2026-07-28T09:30:00Z', '1990-12-31T15:59:60-08:00', '2026-07-28t09:30:00.123+05:30'],
} as const

/** A record whose absent entries are absent, as JSON has it. */
function record<T>(shape: { [Key in keyof T]-?: fc.Arbitrary<T[Key] | undefined> }): fc.Arbitrary<T> {
  return fc
    .record(shape as { [Key in keyof T]: fc.Arbitrary<T[Key]> })
    .map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as T)
}

function maybe<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined })
}

const lengths = fc.tuple(maybe(fc.nat(5)), maybe(fc.integer({ min: 5, max: 20 })))

const textField: fc.Arbitrary<TextField> = fc.oneof(
  lengths.chain(([minLength, maxLength]) =>
    record<TextField>({
      type: fc.constant('string'),
      ...labels,
      minLength: fc.constant(minLength),
      maxLength: fc.constant(maxLength),
      format: fc.constant(undefined),
      default: fc.constant(undefined),
    }),
  ),
  record<TextField>({
    type: fc.constant('string'),
    ...labels,
    minLength: fc.constant(undefined),
    maxLength: fc.constant(undefined),
    format: fc.constantFrom('email', 'uri', 'date', 'date-time'),
    default: fc.constant(undefined),
  }),
)

const numberField: fc.Arbitrary<NumberField> = record<NumberField>({
  type: fc.constantFrom('number', 'integer'),
  ...labels,
  minimum: maybe(fc.integer({ min: -100, max: 0 })),
  maximum: maybe(fc.integer({ min: 0, max: 100 })),
  default: fc.constant(undefined),
})

const booleanField: fc.Arbitrary<BooleanField> = record<BooleanField>({
  type: fc.constant('boolean'),
  ...labels,
  default: fc.constant(undefined),
})

const values = fc.uniqueArray(anyText, { minLength: 1, maxLength: 5 })
const titledOptions = values.chain((constants) =>
  fc.tuple(...constants.map((value) => anyText.map((title) => ({ const: value, title })))),
)

const choiceField: fc.Arbitrary<ChoiceField> = fc.oneof(
  values.chain((options) =>
    record<Extract<ChoiceField, { enum: unknown }>>({
      type: fc.constant('string'),
      ...labels,
      enum: fc.constant(options),
      enumNames: maybe(fc.array(anyText, { minLength: options.length, maxLength: options.length })),
      default: fc.constant(undefined),
    }),
  ),
  record<Extract<ChoiceField, { oneOf: unknown }>>({
    type: fc.constant('string'),
    ...labels,
    oneOf: titledOptions,
    default: fc.constant(undefined),
  }),
)

const choicesField: fc.Arbitrary<ChoicesField> = fc
  .oneof(
    values.map((options): ChoicesField['items'] => ({ type: 'string', enum: options })),
    titledOptions.map((options): ChoicesField['items'] => ({ anyOf: options })),
  )
  .chain((items) => {
    const offered = 'anyOf' in items ? items.anyOf.length : items.enum.length
    return fc.nat(offered).chain((least) =>
      record<ChoicesField>({
        type: fc.constant('array'),
        ...labels,
        items: fc.constant(items),
        minItems: maybe(fc.constant(least)),
        maxItems: maybe(fc.integer({ min: least, max: offered })),
        default: fc.constant(undefined),
      }),
    )
  })

const bareField: fc.Arbitrary<Field> = fc.oneof(textField, numberField, booleanField, choiceField, choicesField)

/** A field of any shape, sometimes with a default that fits it. */
const anyField: fc.Arbitrary<Field> = bareField.chain((field) =>
  maybe(valueFor(field)).map((value) => (value === undefined ? field : ({ ...field, default: value } as Field))),
)

/** Any form that every part of Assent must take. */
export const anyForm: fc.Arbitrary<FormSchema> = fc
  .uniqueArray(fc.tuple(anyName, anyField), { selector: ([name]) => name, maxLength: 6 })
  .chain((fields) =>
    record<FormSchema>({
      $schema: maybe(fc.constant('https://json-schema.org/draft/2020-12/schema')),
      type: fc.constant('object'),
      properties: fc.constant(Object.fromEntries(fields)),
      required: maybe(fc.subarray(fields.map(([name]) => name))),
    }),
  )

/** A value that fits the field. */
function valueFor(field: Field): fc.Arbitrary<FieldValue> {
  if (field.type === 'array') return chosenFrom(field)
  if (isChoice(field)) return fc.constantFrom(...optionsOf(field).map((option) => option.const))
  switch (field.type) {
    case 'string':
      if (field.format !== undefined) return fc.constantFrom(...examples[field.format])
      return fc
        .array(fc.constantFrom('a', 'ß', '語', '😀', ' ', '\n'), {
          minLength: field.minLength ?? 0,
          maxLength: field.maxLength ?? 20,
        })
        .map((characters) => characters.join(''))
    case 'integer':
      return fc.integer({ min: field.minimum ?? -1000, max: field.maximum ?? 1000 })
    case 'number':
      return fc
        .double({ min: field.minimum ?? -1e9, max: field.maximum ?? 1e9, noNaN: true })
        .map((number) => (number === 0 ? 0 : number))
    case 'boolean':
      return fc.boolean()
  }
}

function chosenFrom(field: ChoicesField): fc.Arbitrary<readonly string[]> {
  const options = optionsOf(field).map((option) => option.const)
  return fc.shuffledSubarray(options, {
    minLength: field.minItems ?? 0,
    maxLength: field.maxItems ?? options.length,
  })
}

/** An answer that fits the form: every required field, some of the others. */
export function contentFor(schema: FormSchema): fc.Arbitrary<Content> {
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const value = valueFor(field)
    return fc.tuple(fc.constant(name), required.has(name) ? value : maybe(value))
  })
  return fc
    .tuple(...fields)
    .map((entries) =>
      Object.fromEntries(entries.filter((entry): entry is [string, FieldValue] => entry[1] !== undefined)),
    )
}

/** Values each of which breaks exactly one rule of the field. */
export function misfitsFor(field: Field): unknown[] {
  if (isChoice(field)) {
    const options = optionsOf(field).map((option) => option.const)
    if (field.type !== 'array') return [`${options.join('')}!`, 1, true, [options[0]]]
    const { minItems = 0, maxItems = options.length } = field
    return [
      options[0],
      [`${options.join('')}!`],
      { 0: options[0] },
      ...(minItems > 0 ? [options.slice(0, minItems - 1)] : []),
      ...(maxItems < options.length ? [options.slice(0, maxItems + 1)] : []),
      ...(minItems <= 2 && maxItems >= 2 ? [[options[0], options[0]]] : []),
    ]
  }
  switch (field.type) {
    case 'string':
      return [
        ...[1, false, ['a'], {}, '\ud800'.padStart(field.minLength ?? 1, 'a')],
        ...(field.minLength ? ['😀'.repeat(field.minLength - 1)] : []),
        ...(field.maxLength === undefined ? [] : ['a'.repeat(field.maxLength + 1)]),
        ...(field.format === undefined ? [] : ['nonsense']),
      ]
    case 'number':
    case 'integer':
      return [
        ...['1', true, [1], Number.NaN, Number.POSITIVE_INFINITY],
        ...(field.type === 'integer' ? [0.5] : []),
        ...(field.minimum === undefined ? [] : [field.minimum - 1]),
        ...(field.maximum === undefined ? [] : [field.maximum + 1]),
      ]
    case 'boolean':
      return ['true', 0, [true], {}]
  }
}

/** Makes objects that hurt whoever looks at them. */
export const hostileMakers: readonly (() => unknown)[] = [
  () => {
    const cyclic: Record<string, unknown> = { type: 'object' }
    cyclic.properties = { self: cyclic, type: cyclic }
    return cyclic
  },
  () => revokedProxy({}),
  () => revokedProxy([]),
  () => new Proxy({}, { ownKeys: boom, getPrototypeOf: boom, getOwnPropertyDescriptor: boom, get: boom, has: boom }),
  () => new Proxy([], { ownKeys: boom, getPrototypeOf: boom, getOwnPropertyDescriptor: boom, get: boom, has: boom }),
  () => Array.from({ length: 2_000 }).reduce<object>((inner) => ({ type: 'array', items: inner, inner }), {}),
  () =>
    new (class Form {
      type = 'object'
      properties = {}
    })(),
  () => new Date(0),
  () => new Map(),
  () => boom,
  () => Symbol('x'),
  () => 10n,
  () => Object.create({ type: 'object', properties: {} }),
  () => JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}},"__proto__":{"polluted":true}}'),
  () => Object.defineProperty({ type: 'object' }, 'properties', { get: boom, enumerable: true }),
  () => Object.assign([], { length: 4_294_967_295 }),
  () => ({ toJSON: boom, toString: boom, valueOf: boom }),
]

function revokedProxy(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

function boom(): never {
  throw new Error('looked at')
}

/** Anything at all: JSON, values that JSON cannot say, and objects made to hurt. Made when called, as fast-check would look. */
export const anyRubbish: fc.Arbitrary<() => unknown> = fc.oneof(
  fc
    .anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true })
    .map((value) => () => value),
  fc.jsonValue().map((value) => () => value),
  fc.constantFrom(...hostileMakers),
)

const anyKeyword = fc.constantFrom(
  '$ref',
  'pattern',
  'type',
  'enum',
  'oneOf',
  'items',
  'default',
  'required',
  'minItems',
)
const anyWord = fc
  .constantFrom('string', 'array', 'object', 'boolean', 'integer', 'password', 'email', -1, 0.5, null)
  .map((value) => () => value)

/** The value with up to three random places in it deleted, replaced, or given something more. */
export function mutated(value: fc.Arbitrary<unknown>): fc.Arbitrary<() => unknown> {
  const mutation = fc.record({
    steps: fc.array(fc.nat(9), { minLength: 12, maxLength: 12 }),
    change: fc.constantFrom('delete', 'replace', 'insert'),
    keyword: anyKeyword,
    put: fc.oneof(anyWord, anyRubbish),
  })
  return fc.tuple(value, fc.array(mutation, { minLength: 1, maxLength: 3 })).map(
    ([original, mutations]) =>
      () =>
        mutations.reduce(
          (root, { steps, change, keyword, put }) => mutateAt(root, steps, change, keyword, put()),
          structuredClone(original),
        ),
  )
}

/** Walks down by the steps, and changes what it finds where it stops. A hostile object ends the walk. */
function mutateAt(root: unknown, steps: readonly number[], change: string, keyword: string, put: unknown): unknown {
  let owner = root
  for (const step of steps) {
    const keys = isOpen(owner) ? Object.keys(owner) : []
    const key = keys[step % Math.max(keys.length, 1)]
    if (!isOpen(owner) || key === undefined) return root
    const inner: unknown = Object.getOwnPropertyDescriptor(owner, key)?.value
    if (isOpen(inner) && step > 1) {
      owner = inner
      continue
    }
    if (change === 'delete') Reflect.deleteProperty(owner, key)
    else Reflect.set(owner, change === 'insert' ? keyword : key, put)
    return root
  }
  return put
}

function isOpen(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !types.isProxy(value)
}
