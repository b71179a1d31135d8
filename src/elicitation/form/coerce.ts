import { isChoice, nothingChosen, optionsOf } from './options.ts'
import type { ChoiceField, ChoicesField, Field, FieldValue, FormSchema, TextField } from './schema.ts'

/** Text by field name, as a browser or a command line gives it: a map, or pairs in which a name may come again. */
export type FieldTexts = Iterable<readonly [name: string, text: string | readonly string[]]>

/** What a box that was not sent means: browsers send no unticked box, a command line leaves out what it does not say. */
export interface CoerceOptions {
  /** The value of a checkbox that is missing: `false`, or no answer. */
  readonly absentCheckbox: false | 'absent'
}

/**
 * Reads text as the types of a form, still unvalidated: what does not read stays text, and `validateContent` names it.
 * An empty box is no answer, required or not. Of a name that comes twice the last counts, but for a list of choices.
 */
export function coerceContent(
  schema: FormSchema,
  fields: FieldTexts,
  { absentCheckbox }: CoerceOptions = { absentCheckbox: 'absent' },
): Readonly<Record<string, unknown>> {
  const texts = gather(fields)
  const required = new Set(schema.required)
  const content: [string, FieldValue][] = []
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = coerceField(field, texts.get(name), required.has(name), absentCheckbox)
    if (value !== undefined) content.push([name, value])
  }
  return Object.fromEntries(content)
}

function gather(fields: FieldTexts): Map<string, readonly string[]> {
  const texts = new Map<string, string[]>()
  for (const [name, text] of fields) {
    const soFar = texts.get(name) ?? []
    texts.set(name, soFar)
    // Pushed one by one, as a name may come a million times: neither copied again each time, nor spread as arguments.
    for (const one of typeof text === 'string' ? [text] : text) soFar.push(one)
  }
  return texts
}

function coerceField(
  field: Field,
  texts: readonly string[] | undefined,
  required: boolean,
  absentCheckbox: CoerceOptions['absentCheckbox'],
): FieldValue | undefined {
  if (field.type === 'array') {
    if (texts === undefined && absentCheckbox === 'absent') return undefined
    const chosen = offersEmpty(field) ? texts : texts?.filter((text) => text !== '')
    return chosen?.length ? chosen : nothingChosen(field, required)
  }
  const text = texts?.at(-1)
  if (text === undefined) return field.type === 'boolean' && absentCheckbox === false ? false : undefined
  const value = coerceText(field, text)
  return value === '' && !(isChoice(field) && offersEmpty(field)) ? undefined : value
}

function coerceText(field: Exclude<Field, ChoicesField>, text: string): FieldValue {
  if (isChoice(field)) return text
  switch (field.type) {
    case 'string':
      return readText(field, text)
    case 'number':
    case 'integer':
      return readNumber(text.trim())
    case 'boolean':
      return words.get(text.trim().toLowerCase()) ?? text.trim()
  }
}

/** Browsers send line ends as CRLF but count them as one character; and nobody means the space around an address. */
function readText(field: TextField, text: string): string {
  return field.format === undefined ? text.replaceAll('\r\n', '\n') : text.trim()
}

/** Decimal notation only. A whole number too large to hold exactly stays text: a changed answer is worse than an error. */
function readNumber(text: string): FieldValue {
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return text
  const number = Number(text)
  const isExact = Number.isSafeInteger(number) || !/^[+-]?\d+$/.test(text)
  return Number.isFinite(number) && isExact ? number : text
}

const words = new Map([
  ...['on', 'true', 'yes', '1'].map((word) => [word, true] as const),
  ...['off', 'false', 'no', '0'].map((word) => [word, false] as const),
])

function offersEmpty(field: ChoiceField | ChoicesField): boolean {
  return optionsOf(field).some((option) => option.const === '')
}
