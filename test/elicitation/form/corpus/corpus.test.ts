import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { askedServerForm } from '../../../../src/asking/form.ts'
import { AssentError } from '../../../../src/base/errors.ts'
import { defaultsOf } from '../../../../src/elicitation/form/defaults.ts'
import type { FormSchema } from '../../../../src/elicitation/form/schema.ts'
import { simplifyForm } from '../../../../src/elicitation/form/simplify/simplify-form.ts'
import { defaultLimits } from '../../../../src/elicitation/limits.ts'
import { anyRubbish, mutated } from '../arbitraries.ts'

interface Entry {
  readonly name: string
  readonly schema: Record<string, unknown>
  /** Why it is refused. Left out: it can be asked. */
  readonly refused?: string
}

/** Schemas as each generator writes them: one file a generator. */
const corpus = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.json'))
  .map((file) => [file, JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as Entry[]] as const)

const asked = (schema: unknown) => askedServerForm(defaultLimits, '[up] Fill in', schema)

function outcome(schema: unknown): FormSchema | string {
  try {
    return asked(schema).schema
  } catch (error) {
    if (error instanceof AssentError) return error.message
    throw error
  }
}

describe.each(corpus)('as %s has it', (_, entries) => {
  test.each(entries.filter(({ refused }) => refused === undefined))('$name is asked', async ({ schema }) => {
    const form = asked(schema)
    expect(form.schema.type).toBe('object')
    // Whatever it suggests can be answered as it stands.
    const suggested = defaultsOf(form.schema)
    const isWhole = (form.schema.required ?? []).every((name) => name in suggested)
    if (isWhole) expect(await form.read(suggested)).toMatchObject({ kind: 'valid' })
  })

  test.each(entries.filter(({ refused }) => refused !== undefined))('$name is refused', ({ schema, refused }) => {
    expect(outcome(schema)).toEqual(expect.stringContaining(refused as string))
  })
})

test('the corpus has more than 60 schemas, of eight kinds of generators', () => {
  expect(corpus.flatMap(([, entries]) => entries).length).toBeGreaterThan(60)
  expect(corpus.length).toBeGreaterThanOrEqual(8)
})

const entry = (file: string, name: string) =>
  corpus.find(([one]) => one === file)?.[1].find((one) => one.name === name)?.schema

test.each([
  ['pydantic.json', 'an optional text with null', { nickname: { type: 'string', title: 'Nickname' } }, undefined],
  ['pydantic.json', 'a required text that may be null', { nickname: { type: 'string', title: 'Nickname' } }, []],
  ['zod-4.json', 'a whole number', { guests: { type: 'integer' } }, ['guests']],
  [
    'zod-4.json',
    'a whole number above zero',
    { guests: { type: 'integer', minimum: 1, maximum: 9, default: 2 } },
    ['guests'],
  ],
  [
    'zod-3.json',
    'a positive number, for OpenAPI 3',
    { weight: { type: 'number', minimum: 0, maximum: 10 } },
    ['weight'],
  ],
  ['zod-4.json', 'a union of text and number', { value: { type: 'string' } }, ['value']],
  ['zod-4.json', 'a literal', { kind: { type: 'string', enum: ['trip'] } }, ['kind']],
  [
    'zod-4.json',
    'a union of literals',
    {
      size: {
        type: 'string',
        oneOf: [
          { const: 's', title: 's' },
          { const: 'm', title: 'm' },
        ],
      },
    },
    ['size'],
  ],
  [
    'csharp.json',
    'a record with a number that may come as text',
    { guests: { type: 'integer' }, price: { type: 'number' } },
    ['guests', 'price'],
  ],
  ['hand-written.json', 'a constant number', { version: { type: 'number', minimum: 2, maximum: 2 } }, undefined],
  [
    'hand-written.json',
    'loose and strict bounds',
    { a: { type: 'integer', minimum: 5 }, b: { type: 'number', maximum: 3.5 }, c: { type: 'number', minimum: 1 } },
    undefined,
  ],
])('%s: %s becomes what a form can say', (file, name, properties, required) => {
  const { schema } = asked(entry(file, name))
  expect(schema.properties).toEqual(properties)
  expect(schema.required).toEqual(required)
})

describe('a pattern', () => {
  test('is judged, and the person is told what it wants', async () => {
    const form = asked(entry('pydantic.json', 'a text with a pattern'))
    expect(await form.read({ branch: 'main' })).toMatchObject({ kind: 'valid' })
    expect(await form.read({ branch: 'MAIN' })).toEqual({
      kind: 'invalid',
      errors: [{ field: 'branch', message: 'Branch must be written as the pattern ^[a-z]+$ says.' }],
    })
  })

  test('an attack: one that takes for ever is not run, and left to its server', async () => {
    const form = asked(entry('hand-written.json', 'a pattern that only backtracking can run'))
    expect(await form.read({ code: 'a'.repeat(50_000) })).toMatchObject({ kind: 'valid' })
    const long = asked({ type: 'object', properties: { a: { type: 'string', pattern: `${'a?'.repeat(600)}b` } } })
    expect(await long.read({ a: 'x' })).toMatchObject({ kind: 'valid' })
  })

  test('does not count for what was left out', async () => {
    const form = asked({ type: 'object', properties: { a: { type: 'string', pattern: '^x' }, b: { type: 'boolean' } } })
    expect(await form.read({ b: true })).toMatchObject({ kind: 'valid' })
    expect(await form.read({ a: '' })).toMatchObject({ kind: 'invalid' })
  })
})

describe('an attack', () => {
  test('whatever a server sends is refused or read, and nothing else happens', () => {
    const good = fc.constantFrom(...corpus.flatMap(([, entries]) => entries.map(({ schema }) => schema)))
    const anything = fc.oneof(
      anyRubbish,
      good,
      good.chain((schema) => mutated(fc.constant(schema as never))),
    )
    fc.assert(
      fc.property(anything, (schema) => {
        outcome(typeof schema === 'function' ? schema() : schema)
      }),
      { numRuns: 1_000 },
    )
  })

  test('a definition that everything refers to is not copied without end', () => {
    const large = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`x-${index}`, 1]))
    const unions = Array.from({ length: 90 }, (_, index) => [
      `f${index}`,
      { anyOf: Array.from({ length: 500 }, () => ({ $ref: '#/$defs/Large' })) },
    ])
    const schema = { type: 'object', properties: Object.fromEntries(unions), $defs: { Large: large } }
    expect(outcome(schema)).toContain('This form cannot be asked')
  })

  test('unions in unions end', () => {
    let field: object = { type: 'string' }
    for (let depth = 0; depth < 2_000; depth += 1) field = { anyOf: [field, { type: 'null' }] }
    expect(outcome({ type: 'object', properties: { field } })).toContain('properties.field.type must be')
  })

  test('what is no schema at all stays as it is', () => {
    for (const given of [undefined, 7, [], { type: 'object', properties: 3 }]) {
      expect(simplifyForm(given)).toMatchObject({ schema: given })
    }
  })
})
