import { present } from '../../../base/json.ts'
import { labelOf } from '../options.ts'
import type {
  BooleanField,
  ChoiceField,
  ChoicesField,
  Field,
  NumberField,
  TextField,
  TextFormat,
  TitledOption,
} from '../schema.ts'
import { formats, problemWith } from '../validate.ts'
import { Keywords, type Reading } from './keywords.ts'

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

/** Reads a field that takes one of its options, in any of the three shapes there are. */
function readChoice(keywords: Keywords, reading: Reading): ChoiceField {
  return present<ChoiceField>({
    type: 'string',
    title: keywords.text('title'),
    description: keywords.text('description'),
    ...(keywords.has('oneOf') ? { oneOf: readTitledOptions(keywords, 'oneOf', reading) } : readEnum(keywords, reading)),
    default: keywords.text('default'),
  })
}

/** Reads a field that takes any of its options, in either of the two shapes there are. */
function readChoices(keywords: Keywords, reading: Reading): ChoicesField {
  const items = readItems(keywords.object('items'), reading)
  return present<ChoicesField>({
    type: 'array',
    title: keywords.text('title'),
    description: keywords.text('description'),
    items,
    ...readItemCounts(keywords, 'anyOf' in items ? items.anyOf.length : items.enum.length, reading),
    default: keywords.optionalTexts('default', reading.limits.options),
  })
}

function readItems(keywords: Keywords, reading: Reading): ChoicesField['items'] {
  const items = keywords.has('anyOf')
    ? { anyOf: readTitledOptions(keywords, 'anyOf', reading) }
    : { type: keywords.exactly('type', 'string'), enum: readValues(keywords, reading) }
  keywords.close()
  return Object.freeze(items)
}

function readItemCounts(keywords: Keywords, offered: number, { tolerant }: Reading): ItemCounts {
  const minItems = keywords.count('minItems')
  const maxItems = keywords.count('maxItems')
  const most = `must be at most ${offered}, the number of options`
  if (minItems !== undefined && minItems > offered) keywords.report('minItems', most)
  if (minItems !== undefined && maxItems !== undefined && minItems > maxItems) {
    keywords.report('minItems', 'must not be more than maxItems')
  }
  if (maxItems === undefined || maxItems <= offered) return { minItems, maxItems }
  // More than there are can never be chosen, so without it the field is the same.
  if (!tolerant) keywords.report('maxItems', most)
  return { minItems, maxItems: undefined }
}

interface ItemCounts {
  minItems: number | undefined
  maxItems: number | undefined
}

function readEnum(keywords: Keywords, reading: Reading): { enum: readonly string[]; enumNames?: readonly string[] } {
  const values = readValues(keywords, reading)
  if (!keywords.has('enumNames')) return { enum: values }
  const enumNames = keywords.texts('enumNames', 1, reading.limits.options)
  if (enumNames.length !== values.length) keywords.report('enumNames', 'must have one name for each value of enum')
  return { enum: values, enumNames }
}

function readValues(keywords: Keywords, { limits }: Reading): readonly string[] {
  const values = keywords.texts('enum', 1, limits.options)
  keywords.refuseRepeats('enum', values)
  return values
}

function readTitledOptions(keywords: Keywords, name: string, { limits }: Reading): readonly TitledOption[] {
  const options = keywords.objects(name, limits.options).map((option) => {
    const read = { const: option.requiredText('const'), title: option.requiredText('title') }
    option.close()
    return Object.freeze(read)
  })
  keywords.refuseRepeats(
    name,
    options.map((option) => option.const),
  )
  return Object.freeze(options)
}
