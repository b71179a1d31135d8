import { visibleLine } from '../../base/text/visible-text.ts'
import { isChoice, optionsOf } from '../../elicitation/form/options.ts'
import type { ChoicesField, Field, NumberField, TextField } from '../../elicitation/form/schema.ts'
import { formats } from '../../elicitation/form/validate.ts'

/** A short hint at which values a field takes. */
export function inputHint(field: Field): string {
  if (isChoice(field)) {
    return field.type === 'array'
      ? `${howMany(field)}, by number or name, separated by commas; ↑ ↓ select.`
      : 'One of these, by number or name; ↑ ↓ select.'
  }
  switch (field.type) {
    case 'string':
      return textHint(field)
    case 'number':
    case 'integer':
      return numberHint(field)
    case 'boolean':
      return 'Yes or no.'
  }
}

/** A value as shown to the person: options by their titles, booleans as yes and no, control characters removed. */
export function valueText(field: Field, value: unknown): string {
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

function textHint({ minLength = 0, maxLength, format }: TextField): string {
  const shape = format === undefined ? 'Text' : `Text that ${formats[format].rule}`
  const length = range(minLength === 0 ? undefined : minLength, maxLength)
  return length === '' ? `${shape}.` : `${shape}, ${length} characters.`
}

function numberHint({ type, minimum, maximum }: NumberField): string {
  const bounds = range(minimum, maximum)
  return `${type === 'integer' ? 'A whole number' : 'A number'}${bounds === '' ? '' : `, ${bounds}`}.`
}

function range(least: number | undefined, most: number | undefined): string {
  if (least === undefined) return most === undefined ? '' : `at most ${most}`
  if (most === undefined) return `at least ${least}`
  return least === most ? `exactly ${least}` : `${least} to ${most}`
}
