import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkForm } from '../../../src/elicitation/form/check.ts'
import { optionsOf } from '../../../src/elicitation/form/options.ts'
import { formFor } from '../../../src/elicitation/form/revision.ts'
import type { Content, FieldValue, FormSchema } from '../../../src/elicitation/form/schema.ts'
import { validateContent } from '../../../src/elicitation/form/validate.ts'
import { anyForm, anyRubbish, contentFor, mutated } from './arbitraries.ts'

const toppings = {
  type: 'array',
  title: 'Toppings',
  description: 'What goes on it.',
  items: { anyOf: ['h', 'o', 'c'].map((value) => ({ const: value, title: value.toUpperCase() })) },
}

const form = (properties: object, required?: string[]) => checkForm({ type: 'object', properties, required })
const first = (properties: object, required?: string[]) => formFor(form(properties, required), '2025-06-18')

describe.each(['2025-11-25', '2026-07-28'] as const)('on %s', (revision) => {
  test('a form goes as its author wrote it, enumNames and all (E11-15)', () => {
    fc.assert(
      fc.property(anyForm, anyRubbish, (schema, rubbish) => {
        const wire = formFor(schema, revision)
        const content = rubbish()
        expect(wire.schema).toBe(schema)
        expect(wire.lift(content) === content || Number.isNaN(content)).toBe(true)
      }),
    )
  })
})

describe('on 2025-06-18', () => {
  test('defaults go, but for a tick; titled options become enumNames; $schema goes (E06-04)', () => {
    const schema = checkForm({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Name', format: 'email', default: 'a@b.c' },
        age: { type: 'integer', minimum: 1, default: 5 },
        ok: { type: 'boolean', default: false },
        size: { type: 'string', enum: ['s'], enumNames: ['Small'], default: 's' },
        hue: { type: 'string', description: 'D', oneOf: [{ const: 'r', title: 'Red' }], default: 'r' },
      },
      required: ['name'],
    })
    expect(formFor(schema, '2025-06-18').schema).toStrictEqual({
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Name', format: 'email' },
        age: { type: 'integer', minimum: 1 },
        ok: { type: 'boolean', default: false },
        size: { type: 'string', enum: ['s'], enumNames: ['Small'] },
        hue: { type: 'string', description: 'D', enum: ['r'], enumNames: ['Red'] },
      },
      required: ['name'],
    })
  })

  test('a list becomes a box for each option, where it stood, and back (E06-04)', () => {
    const { schema, lift } = first(
      { a: { type: 'string' }, top: { ...toppings, default: ['c', 'h'] }, z: { type: 'string' } },
      ['top', 'z'],
    )

    expect(schema).toStrictEqual({
      type: 'object',
      properties: {
        a: { type: 'string' },
        top_1: { type: 'boolean', title: 'Toppings: H', description: 'What goes on it.', default: true },
        top_2: { type: 'boolean', title: 'Toppings: O' },
        top_3: { type: 'boolean', title: 'Toppings: C', default: true },
        z: { type: 'string' },
      },
      required: ['z'],
    })
    expect(Object.keys(schema.properties)).toEqual(['a', 'top_1', 'top_2', 'top_3', 'z'])
    expect(lift({ z: 'x', top_3: true, top_2: false, top_1: true })).toStrictEqual({ z: 'x', top: ['h', 'c'] })
  })

  const counts: [rule: string, counts: object, required: boolean][] = [
    ['What goes on it.', {}, false],
    ['What goes on it.', { minItems: 0 }, true],
    ['What goes on it. Choose at most 2.', { maxItems: 2 }, false],
    ['What goes on it. Choose at least 1.', { minItems: 1 }, true],
    ['What goes on it. Choose at least 1, or none.', { minItems: 1 }, false],
    ['What goes on it. Choose exactly 2.', { minItems: 2, maxItems: 2 }, true],
    ['What goes on it. Choose 1 to 2, or none.', { minItems: 1, maxItems: 2 }, false],
  ]
  test.each(counts)('the first box says "%s" (E06-04)', (rule, counts, required) => {
    const { schema } = first({ top: { ...toppings, ...counts } }, required ? ['top'] : [])
    expect(schema.properties.top_1?.description).toBe(rule)
  })

  test('no box takes the name of another field (E06-04)', () => {
    const text = { type: 'string' }
    const { schema, lift } = first({ top_1: text, top: toppings, top_1_: text, top_: toppings, top__1: text })

    expect(Object.keys(schema.properties)).toEqual([
      ...['top_1', 'top_1__', 'top_2', 'top_3', 'top_1_', 'top__1_', 'top__2', 'top__3', 'top__1'],
    ])
    expect(lift({ top_1: 'mine', top_1__: true, top__2: true })).toEqual({ top_1: 'mine', top: ['h'], top_: ['o'] })
  })

  const ticks: [what: string, content: object, optional: unknown, required: unknown][] = [
    ['no box at all', {}, undefined, []],
    ['boxes that are null', { top_1: null }, undefined, []],
    ['boxes unticked', { top_1: false }, [], []],
    ['one ticked, the others left alone', { top_2: true }, ['o'], ['o']],
  ]
  test.each(ticks)('%s', (_, content, optional, required) => {
    expect(first({ top: toppings }).lift(content)).toEqual(optional === undefined ? {} : { top: optional })
    expect(first({ top: toppings }, ['top']).lift(content)).toEqual({ top: required })
  })

  test.each(['o', ['o'], 1, {}])('%j is no tick, whatever list it might have been (E06-07)', (rubbish) => {
    const schema = form({ top: toppings })
    const lifted = formFor(schema, '2025-06-18').lift({ top_1: true, top_2: rubbish })
    expect(validateContent(schema, lifted)).toMatchObject({
      errors: [{ field: 'top', message: 'Choose from: H, O, C.' }],
    })
  })

  test('nothing ticked is no answer where the list may be left out but not be empty', () => {
    const some = { ...toppings, minItems: 1 }
    expect(first({ top: some }).lift({ top_1: false, top_2: false })).toEqual({})
    expect(first({ top: some }, ['top']).lift({ top_1: false })).toEqual({ top: [] })
  })

  test('a form without lists lifts to what was answered', () => {
    const content = { a: 1 }
    expect(first({ a: { type: 'string' } }).lift(content)).toBe(content)
  })

  test('any form comes down to what the revision knows, and its answers come back up (E06-04, E06-07)', () => {
    const asked = anyForm.chain((schema) => contentFor(schema).map((content) => ({ schema, content })))
    fc.assert(
      fc.property(asked, ({ schema, content }) => {
        const wire = formFor(schema, '2025-06-18')
        expect(strangersToFirstRevision(wire.schema)).toEqual([])

        const filled = fillBoxes(schema, wire.schema, content)
        expect(validateContent(wire.schema, filled)).toEqual({ kind: 'valid', content: filled })
        expect(validateContent(schema, wire.lift(filled))).toEqual({
          kind: 'valid',
          content: inOptionOrder(schema, content),
        })
      }),
      { numRuns: 1_000 },
    )
  })

  test('10,000 malformed answers are lifted without a word, for validation to judge', () => {
    const malformed = anyForm.chain((schema) => {
      const wire = formFor(schema, '2025-06-18')
      return fc.oneof(mutated(contentFor(wire.schema)), anyRubbish).map((make) => ({ schema, wire, make }))
    })
    fc.assert(
      fc.property(malformed, ({ schema, wire, make }) => {
        expect(['valid', 'invalid']).toContain(validateContent(schema, wire.lift(make())).kind)
      }),
      { numRuns: 10_000 },
    )
  })
})

const labels = ['type', 'title', 'description']
const firstKeywords: Record<string, string[]> = {
  string: [...labels, 'minLength', 'maxLength', 'format'],
  enum: [...labels, 'enum', 'enumNames'],
  number: [...labels, 'minimum', 'maximum'],
  integer: [...labels, 'minimum', 'maximum'],
  boolean: [...labels, 'default'],
}

/** Table 1.6 of the ledger, column 06, read strictly: every place in the schema that the revision does not know. */
function strangersToFirstRevision(schema: FormSchema): string[] {
  const fields = Object.entries(schema.properties).flatMap(([name, field]) => {
    const known = firstKeywords['enum' in field ? 'enum' : field.type] ?? []
    return Object.keys(field)
      .filter((keyword) => !known.includes(keyword))
      .map((keyword) => `${name}.${keyword}`)
  })
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(schema.properties, name))
  const top = Object.keys(schema).filter((keyword) => !['type', 'properties', 'required'].includes(keyword))
  return [...top, ...fields, ...missing]
}

/** Ticks the boxes that a person would who means `content`. Boxes stand in the order of their lists and options. */
function fillBoxes(schema: FormSchema, wire: FormSchema, content: Content): Content {
  const boxes = Object.keys(wire.properties).filter((name) => !Object.hasOwn(schema.properties, name))
  const filled: [string, FieldValue][] = []
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(content, name) ? content[name] : undefined
    if (field.type !== 'array') {
      if (value !== undefined) filled.push([name, value])
      continue
    }
    for (const option of optionsOf(field)) {
      const box = boxes.shift() ?? 'no box left'
      if (Array.isArray(value)) filled.push([box, value.includes(option.const)])
    }
  }
  expect(boxes).toEqual([])
  return Object.fromEntries(filled)
}

/** The content as boxes can say it: lists in the order of their options; an empty one that may be left out is left out. */
function inOptionOrder(schema: FormSchema, content: Content): Content {
  return Object.fromEntries(
    Object.entries(content).map(([name, value]): [string, FieldValue] => {
      const field = schema.properties[name]
      if (field?.type !== 'array' || !Array.isArray(value)) return [name, value]
      return [name, optionsOf(field).flatMap((option) => (value.includes(option.const) ? [option.const] : []))]
    }),
  )
}
