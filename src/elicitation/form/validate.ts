import { countCharacters, ExactNumber, isText, ownFields, ownList } from '../../base/json.ts'
import { isUrl } from '../../base/public-address.ts'
import { isChoice, labelOf, optionsOf } from './options.ts'
import type {
  ChoiceField,
  ChoicesField,
  Content,
  Field,
  FieldValue,
  FormSchema,
  NumberField,
  TextField,
  TextFormat,
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

/** How to tell that text has a format, and how to say it to a person. */
export interface FormatRule {
  fits(text: string): boolean
  /** Goes on from the field's label: "E-mail" + " must look like name@example.com". */
  readonly rule: string
}

/** The four formats of every revision. Each check takes time in proportion to the text, whatever the text. */
export const formats: Readonly<Record<TextFormat, FormatRule>> = {
  email: { fits: isEmail, rule: 'must look like name@example.com' },
  uri: { fits: isUri, rule: 'must be a full address, such as https://example.com' },
  date: { fits: isDate, rule: 'must be a date, such as 2026-07-28' },
  'date-time': { fits: isDateTime, rule: 'must be a date and time with its offset, such as 2026-07-28T09:30:00Z' },
}

const longestEmail = 254
const longestLocalPart = 64
const longestHostLabel = 63

/** An address as people write them, in any script; no quoted names, no comments, and a host with a dot. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  const labels = text.slice(at + 1).split('.')
  return (
    at > 0 &&
    text.length <= longestEmail &&
    local.length <= longestLocalPart &&
    local.split('.').every((atom) => /^[^\s\p{C}@<>()[\]\\,;:"]+$/u.test(atom)) &&
    labels.length > 1 &&
    labels.every(isHostLabel)
  )
}

function isHostLabel(label: string): boolean {
  return (
    label.length <= longestHostLabel &&
    /^[\p{L}\p{M}\p{N}-]+$/u.test(label) &&
    !label.startsWith('-') &&
    !label.endsWith('-')
  )
}

/** RFC 3986 with a scheme, ASCII only, so that what passes here passes a strict checker on the other side too. */
function isUri(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:(?:[!#$&-;=?-Z[\]_a-z~]|%[0-9a-f]{2})+$/i.test(text)) return false
  const webWithoutSlashes = /^https?:(?!\/\/)/i.test(text)
  return !webWithoutSlashes && isUrl(text)
}

/** A day that the calendar has. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))]
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** RFC 3339: a day, a time to the second, and an offset. Second 60 passes only where it can be one: at 23:59:60 UTC. */
function isDateTime(text: string): boolean {
  if (!/^.{10}t\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i.test(text) || !isDate(text.slice(0, 10))) return false
  const time = minutesOf(text.slice(11, 16))
  const offset = /z$/i.test(text) ? 0 : minutesOf(text.slice(-5))
  const second = Number(text.slice(17, 19))
  if (time === undefined || offset === undefined || second > 60) return false

  const utc = text.at(-6) === '-' ? time + offset : time - offset
  return second < 60 || (utc + minutesPerDay) % minutesPerDay === minutesPerDay - 1
}

const minutesPerDay = 24 * 60

function minutesOf(clock: string): number | undefined {
  const [hour, minute] = [Number(clock.slice(0, 2)), Number(clock.slice(3))]
  return hour <= 23 && minute <= 59 ? hour * 60 + minute : undefined
}
