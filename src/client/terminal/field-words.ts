import { visibleLine } from '../../base/text/visible-text.ts'
import { formats } from '../../elicitation/form/formats.ts'
import { isChoice, optionsOf } from '../../elicitation/form/options.ts'
import type { ChoicesField, Field, NumberField, TextField } from '../../elicitation/form/schema.ts'

/** What can be filled in, in a few words. */
export function expects(field: Field): string {
  if (isChoice(field)) {
    return field.type === 'array'
      ? `${howMany(field)}, by number or name with commas between; ↑ ↓ go through them.`
      : 'One of these, by number or name; ↑ ↓ go through them.'
  }
  switch (field.type) {
    case 'string':
      return expectsText(field)
    case 'number':
    case 'integer':
      return expectsNumber(field)
    case 'boolean':
      return 'Yes or no.'
  }
}

/** A value as the person knows it: options by their words, yes and no, and nothing in it that a terminal obeys. */
export function shownValue(field: Field, value: unknown): string {
  if (value === undefined || value === null) return '(left out)'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.map((one) => titleOf(field, one)).join(', ')
  return titleOf(field, value)
}

function titleOf(field: Field, value: unknown): string {
  const option = isChoice(field) ? optionsOf(field).find((option) => option.const === value) : undefined
  const text = visibleLine(option?.title ?? String(value))
  return text.trim() === '' ? `"${text}"` : text
}

function howMany({ minItems = 0, maxItems }: ChoicesField): string {
  if (maxItems === undefined) return minItems === 0 ? 'Any of these' : `At least ${minItems} of these`
  if (minItems === 0) return `At most ${maxItems} of these`
  return minItems === maxItems ? `Exactly ${minItems} of these` : `${minItems} to ${maxItems} of these`
}

function expectsText({ minLength = 0, maxLength, format }: TextField): string {
  const shape = format === undefined ? 'Text' : `Text that ${formats[format].rule}`
  const length = range(minLength === 0 ? undefined : minLength, maxLength)
  return length === '' ? `${shape}.` : `${shape}, ${length} characters.`
}

function expectsNumber({ type, minimum, maximum }: NumberField): string {
  const bounds = range(minimum, maximum)
  return `${type === 'integer' ? 'A whole number' : 'A number'}${bounds === '' ? '' : `, ${bounds}`}.`
}

function range(least: number | undefined, most: number | undefined): string {
  if (least === undefined) return most === undefined ? '' : `at most ${most}`
  if (most === undefined) return `at least ${least}`
  return least === most ? `exactly ${least}` : `${least} to ${most}`
}
