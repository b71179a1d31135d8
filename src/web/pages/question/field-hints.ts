import { isChoice } from '../../../elicitation/form/options.ts'
import type { ChoicesField, Field, NumberField, TextField } from '../../../elicitation/form/schema.ts'
import { amount, writesPoint } from '../layout/times.ts'

const dateTimeExample = '2026-11-16T09:00:00+01:00'

/** A hint about what a field accepts; empty where the control shows it. */
export function hintOf(locale: string, field: Field): string {
  if (isChoice(field)) return field.type === 'array' ? howMany(locale, field) : ''
  switch (field.type) {
    case 'string':
      return [formatHint(field), lengthHint(locale, field)].filter(Boolean).join(' ')
    case 'number':
    case 'integer':
      return [numberHint(locale, field), pointHint(locale, field)].filter(Boolean).join(' ')
    case 'boolean':
      return ''
  }
}

function howMany(locale: string, { minItems = 0, maxItems }: ChoicesField): string {
  const [least, most] = [amount(locale, minItems), amount(locale, maxItems ?? 0)]
  if (maxItems === undefined) return minItems === 0 ? 'Choose any.' : `Choose at least ${least}.`
  if (minItems === 0) return `Choose at most ${most}.`
  return minItems === maxItems ? `Choose ${least}.` : `Choose ${least} to ${most}.`
}

function formatHint({ format }: TextField): string {
  if (format === undefined) return ''
  switch (format) {
    case 'email':
      return 'Such as name@example.com.'
    case 'uri':
      return 'A full address, such as https://example.com.'
    case 'date-time':
      return `With its offset, such as ${dateTimeExample}.`
    case 'date':
      return ''
  }
}

function lengthHint(locale: string, { minLength = 0, maxLength, format }: TextField): string {
  // Dates have a fixed length, and `required` already says that a field needs one character.
  if (format === 'date' || format === 'date-time') return ''
  const bounds = range(locale, minLength <= 1 ? undefined : minLength, maxLength)
  return bounds === '' ? '' : `${bounds} ${maxLength === 1 ? 'character' : 'characters'}.`
}

function numberHint(locale: string, { type, minimum, maximum }: NumberField): string {
  const bounds = range(locale, minimum, maximum)
  if (type === 'number') return bounds === '' ? '' : `${bounds}.`
  return bounds === '' ? 'A whole number.' : `A whole number, ${bounds.toLowerCase()}.`
}

function pointHint(locale: string, { type }: NumberField): string {
  return type === 'number' && !writesPoint(locale) ? 'With a point before decimals, such as 0.5.' : ''
}

function range(locale: string, least: number | undefined, most: number | undefined): string {
  if (least === undefined) return most === undefined ? '' : `At most ${amount(locale, most)}`
  if (most === undefined) return `At least ${amount(locale, least)}`
  return least === most ? `Exactly ${amount(locale, least)}` : `${amount(locale, least)} to ${amount(locale, most)}`
}
