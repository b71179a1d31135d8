import { expect, test } from 'vitest'
import { optionsOf } from '../../../src/elicitation/form/options.ts'
import type { ChoiceField, ChoicesField } from '../../../src/elicitation/form/schema.ts'

const titled = [
  { const: 'r', title: 'Red' },
  { const: 'g', title: 'Green' },
]

const shapes: [shape: string, field: ChoiceField | ChoicesField, titles: string[]][] = [
  ['plain', { type: 'string', enum: ['r', 'g'] }, ['r', 'g']],
  ['with enumNames', { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] }, ['Red', 'Green']],
  ['with too few enumNames', { type: 'string', enum: ['r', 'g'], enumNames: ['Red'] }, ['Red', 'g']],
  ['titled', { type: 'string', oneOf: titled }, ['Red', 'Green']],
  ['a plain list', { type: 'array', items: { type: 'string', enum: ['r', 'g'] } }, ['r', 'g']],
  ['a titled list', { type: 'array', items: { anyOf: titled } }, ['Red', 'Green']],
]

test.each(shapes)('options read alike in every shape: %s (E11-15)', (_, field, titles) => {
  expect(optionsOf(field)).toEqual([
    { const: 'r', title: titles[0] },
    { const: 'g', title: titles[1] },
  ])
})
