import { problemWith } from '../fit.ts'
import { formats } from '../formats.ts'
import { labelOf } from '../label.ts'
import { present } from '../present.ts'
import type { BooleanField, Field, NumberField, TextField, TextFormat } from '../schema.ts'
import { Keywords } from './keywords.ts'
import { readChoice, readChoices } from './read-choice.ts'
import type { Reading } from './reading.ts'

/** Reads one field of unknown origin. What it gives back means something only if nothing was reported. */
export function readField(name: string, value: unknown, reading: Reading): Field | undefined {
  const problemsBefore = reading.problems.length
  const keywords = new Keywords(value, ['properties', name], reading)
  const field = readByType(keywords, reading)
  // Without a type nobody can say which keywords belong.
  if (field === undefined) return undefined

  keywords.close()
  if (reading.problems.length > problemsBefore || field.default === undefined) return field
  const problem = problemWith(field, labelOf(name, field), field.default)
  if (problem !== undefined) keywords.report('default', `must fit its own field (${problem})`)
  return field
}

function readByType(keywords: Keywords, reading: Reading): Field | undefined {
  const type = keywords.take('type')
  switch (type) {
    case 'string':
      return keywords.has('enum') || keywords.has('oneOf') ? readChoice(keywords, reading) : readText(keywords)
    case 'number':
    case 'integer':
      return readNumber(type, keywords)
    case 'boolean':
      return readBoolean(keywords)
    case 'array':
      return readChoices(keywords, reading)
    default:
      keywords.report('type', 'must be string, number, integer, boolean or array: a form is flat and refers to nothing')
      return undefined
  }
}

function readText(keywords: Keywords): TextField {
  const field = present<TextField>({
    type: 'string',
    title: keywords.text('title'),
    description: keywords.text('description'),
    minLength: keywords.count('minLength'),
    maxLength: keywords.count('maxLength'),
    format: keywords.word('format', Object.keys(formats) as TextFormat[]),
    default: keywords.text('default'),
  })
  const { minLength = 0, maxLength = minLength } = field
  if (minLength > maxLength) keywords.report('minLength', 'must not be more than maxLength')
  return field
}

function readNumber(type: NumberField['type'], keywords: Keywords): NumberField {
  const field = present<NumberField>({
    type,
    title: keywords.text('title'),
    description: keywords.text('description'),
    minimum: keywords.number('minimum'),
    maximum: keywords.number('maximum'),
    default: keywords.number('default'),
  })
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = field
  if (minimum > maximum) keywords.report('minimum', 'must not be more than maximum')
  else if (type === 'integer' && Math.ceil(minimum) > Math.floor(maximum)) {
    keywords.report('minimum', 'must leave a whole number up to maximum')
  }
  return field
}

function readBoolean(keywords: Keywords): BooleanField {
  return present<BooleanField>({
    type: 'boolean',
    title: keywords.text('title'),
    description: keywords.text('description'),
    default: keywords.flag('default'),
  })
}
