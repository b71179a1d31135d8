import { countCharacters, ExactNumber, isText } from '../../base/json.ts'
import { formats } from './formats.ts'
import { isChoice, labelOf, optionsOf } from './options.ts'
import { ownFields, ownList } from './read/keywords.ts'
import type {
  ChoiceField,
  ChoicesField,
  Content,
  Field,
  FieldValue,
  FormSchema,
  NumberField,
  TextField,
} from './schema.ts'

/** What is wrong with one field, in words for the person who filled it in; `field` is empty when it is the whole answer. */
export interface FieldError {
  readonly field: string
  readonly message: string
}

export type Validated =
  | { readonly kind: 'valid'; readonly content: Content }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }

/**
 * Checks an answer of unknown origin against its form: strict JSON types, at most one error a field. Null counts as no
 * answer, what the form does not ask for is dropped, and defaults are left to `withDefaults`.
 */
export function validateContent(schema: FormSchema, content: unknown): Validated {
  const given = ownFields(content)
  if (given === undefined) {
    return { kind: 'invalid', errors: [{ field: '', message: 'The answer must be an object with a value per field.' }] }
  }

  const required = new Set(schema.required)
  const errors: FieldError[] = []
  const valid: [string, FieldValue][] = []
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = plainValue(field, given.get(name))
    if (value === undefined || value === null) {
      if (required.has(name)) errors.push({ field: name, message: `${labelOf(name, field)} is required.` })
      continue
    }
    const message = problemWith(field, labelOf(name, field), value)
    if (message === undefined) valid.push([name, value as FieldValue])
    else errors.push({ field: name, message })
  }
  return errors.length > 0 ? { kind: 'invalid', errors } : { kind: 'valid', content: Object.fromEntries(valid) }
}

/**
 * A list is copied before it is judged, so that what was judged is what is kept; one item too many is wrong for sure.
 * What is no list is replaced, as a revoked proxy throws even when asked whether it is one.
 */
function plainValue(field: Field, value: unknown): unknown {
  if (field.type !== 'array' || value === undefined || value === null) return value
  return ownList(value, optionsOf(field).length + 1) ?? 'no list'
}

/** Why a value does not fit its field, in words a person understands; undefined when it fits. */
export function problemWith(field: Field, label: string, value: unknown): string | undefined {
  if (isChoice(field))
    return field.type === 'array' ? problemWithList(field, label, value) : problemWithOne(field, value)
  switch (field.type) {
    case 'string':
      return problemWithText(field, label, value)
    case 'number':
    case 'integer':
      return problemWithNumber(field, label, value)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `${label} must be yes or no.`
  }
}

function problemWithText(field: TextField, label: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return `${label} must be text.`
  if (!isText(value)) return `${label} holds characters that are not text.`
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format } = field
  const length = countCharacters(value)
  if (length < minLength) return `${label} must have at least ${count(minLength, 'character')}.`
  if (length > maxLength) return `${label} must have at most ${count(maxLength, 'character')}.`
  if (format !== undefined && !formats[format].fits(value)) return `${label} ${formats[format].rule}.`
  return undefined
}

/** Any finite number; whole ones as JSON Schema means it, however large. */
function problemWithNumber(field: NumberField, label: string, value: unknown): string | undefined {
  const { type, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = field
  if (isTooExact(value)) return `${label} has more digits than are kept exactly.`
  if (type === 'integer' && !Number.isInteger(value)) return `${label} must be a whole number.`
  if (typeof value !== 'number' || !Number.isFinite(value)) return `${label} must be a number.`
  if (value < minimum) return `${label} must be at least ${minimum}.`
  if (value > maximum) return `${label} must be at most ${maximum}.`
  return undefined
}

/** A whole number beyond 2^53, from a client or as somebody typed it. */
function isTooExact(value: unknown): boolean {
  return ExactNumber.is(value) || (typeof value === 'string' && /^[+-]?\d{16,}$/.test(value))
}

function problemWithOne(field: ChoiceField, value: unknown): string | undefined {
  const fits = optionsOf(field).some((option) => option.const === value)
  return fits ? undefined : `Choose one of: ${optionTitles(field)}.`
}

function problemWithList(field: ChoicesField, label: string, value: unknown): string | undefined {
  const offered = new Set<unknown>(optionsOf(field).map((option) => option.const))
  if (!Array.isArray(value) || !value.every((item) => offered.has(item))) return `Choose from: ${optionTitles(field)}.`
  const { minItems = 0, maxItems = offered.size } = field
  if (new Set(value).size < value.length) return `${label} must have each choice only once.`
  if (value.length < minItems) return `${label} must have at least ${count(minItems, 'choice')}.`
  if (value.length > maxItems) return `${label} must have at most ${count(maxItems, 'choice')}.`
  return undefined
}

const mostTitles = 10

function optionTitles(field: ChoiceField | ChoicesField): string {
  const titles = optionsOf(field).map((option) => option.title)
  const more = titles.length - mostTitles
  return titles.slice(0, mostTitles).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
