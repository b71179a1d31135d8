import { present } from '../present.ts'
import type { ChoiceField, ChoicesField, TitledOption } from '../schema.ts'
import type { Keywords } from './keywords.ts'
import type { Reading } from './reading.ts'

/** Reads a field that takes one of its options, in any of the three shapes there are. */
export function readChoice(keywords: Keywords, reading: Reading): ChoiceField {
  return present<ChoiceField>({
    type: 'string',
    title: keywords.text('title'),
    description: keywords.text('description'),
    ...(keywords.has('oneOf') ? { oneOf: readTitledOptions(keywords, 'oneOf', reading) } : readEnum(keywords, reading)),
    default: keywords.text('default'),
  })
}

/** Reads a field that takes any of its options, in either of the two shapes there are. */
export function readChoices(keywords: Keywords, reading: Reading): ChoicesField {
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
