import { describe, expect, test } from 'vitest'
import type { Field, FormSchema } from '../../../src/elicitation/form/schema.ts'
import { fields } from '../../../src/web/pages/question/fields.ts'
import { longForm } from '../../support/web/gallery.ts'

/** The HTML of a form with one field. */
function drawn(
  field: Field,
  { required = false, typed = undefined as string[] | undefined, locale = 'en-GB' } = {},
): string {
  const schema: FormSchema = { type: 'object', properties: { it: field }, ...(required && { required: ['it'] }) }
  return fields({ locale, schema, typed: typed && new Map([['it', typed]]), errors: [] }).toString()
}

const options = (count: number) => Array.from({ length: count }, (_, index) => `option ${index}`)

describe('a field', () => {
  test('is posted under a name that is never one of ours', () => {
    for (const name of Object.keys(longForm.properties)) {
      expect(fields({ locale: 'en', schema: longForm, errors: [] }).toString()).toContain(`name="field.${name}"`)
    }
  })

  test('shows its default, and once somebody typed, only what they typed', () => {
    expect(drawn({ type: 'string', default: 'ada' })).toContain('value="ada"')
    expect(drawn({ type: 'string', default: 'ada' }, { typed: [''] })).not.toContain('ada')
    expect(drawn({ type: 'integer', default: 7 })).toContain('value="7"')
    expect(drawn({ type: 'boolean', default: true })).toContain(' checked')
    expect(drawn({ type: 'boolean', default: true }, { typed: [] })).not.toContain(' checked')
  })

  test('says so when it may be left out', () => {
    expect(drawn({ type: 'string' })).toContain('(optional)')
    expect(drawn({ type: 'string' }, { required: true })).not.toContain('(optional)')
    expect(drawn({ type: 'string' }, { required: true })).toContain(' required')
  })

  test('keeps the line ends of what is in it', () => {
    expect(drawn({ type: 'string', default: '\ntwo\nlines' })).toContain('>\n\ntwo\nlines</textarea>')
  })

  test('tells what hides in a suggestion', () => {
    expect(drawn({ type: 'string', default: 'pay\u200bpal' })).toContain('Suggested, with hidden characters shown')
    expect(drawn({ type: 'string', default: 'paypal' })).not.toContain('Suggested')
  })

  test.each<[Field, string]>([
    [{ type: 'string', format: 'date' }, 'type="date"'],
    [{ type: 'string', format: 'email' }, 'inputmode="email"'],
    [{ type: 'string', format: 'uri' }, 'inputmode="url"'],
    [{ type: 'string', format: 'date-time' }, 'such as 2026-11-16T09:00:00+01:00'],
    [{ type: 'integer', minimum: 0 }, 'inputmode="numeric"'],
    [{ type: 'number', minimum: 0 }, 'inputmode="decimal"'],
    [{ type: 'number' }, 'inputmode="text"'],
    [{ type: 'integer', minimum: 1, maximum: 12_000 }, 'A whole number, 1 to 12,000.'],
    [{ type: 'integer', minimum: 5 }, 'A whole number, at least 5.'],
    [{ type: 'number', maximum: 5 }, 'At most 5.'],
    [{ type: 'string', minLength: 4, maxLength: 4 }, 'Exactly 4 characters.'],
    [{ type: 'string', maxLength: 1 }, 'At most 1 character.'],
    [{ type: 'array', items: { type: 'string', enum: ['a'] } }, 'Choose any.'],
    [{ type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 2, maxItems: 3 }, 'Choose 2 to 3.'],
    [{ type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 2, maxItems: 2 }, 'Choose 2.'],
    [{ type: 'array', items: { type: 'string', enum: ['a'] }, maxItems: 3 }, 'Choose at most 3.'],
  ])('%j helps to fill it in', (field, help) => {
    expect(drawn(field)).toContain(help)
  })

  test('asks for a point where the person would write a comma', () => {
    expect(drawn({ type: 'number' }, { locale: 'de-DE' })).toContain('With a point before decimals')
    expect(drawn({ type: 'integer' }, { locale: 'de-DE' })).not.toContain('With a point')
  })
})

describe('a choice', () => {
  test('is a list of all options while they are few, and folds when they are many', () => {
    expect(drawn({ type: 'string', enum: options(5) }, { required: true }).match(/type="radio"/g)).toHaveLength(5)
    expect(drawn({ type: 'string', enum: options(6) })).toContain('<select')
  })

  test('that may be left out offers no answer, and chooses it where nothing is suggested', () => {
    expect(drawn({ type: 'string', enum: ['a'] })).toMatch(/value="" checked><span><bdi>No answer/)
    expect(drawn({ type: 'string', enum: ['a'], default: 'a' })).toMatch(/value="a" checked/)
    expect(drawn({ type: 'string', enum: options(6) })).toContain('<option value="">No answer</option>')
  })

  test('that offers empty text offers no second empty answer', () => {
    expect(drawn({ type: 'string', enum: ['', 'a'] }).match(/value=""/g)).toHaveLength(1)
    expect(drawn({ type: 'string', enum: ['', ...options(6)] }, { required: true })).not.toMatch(/Choose one| required/)
  })

  test('shows the words of an option and sends its value', () => {
    const field: Field = { type: 'string', oneOf: [{ const: 'AT', title: 'Austria' }] }
    expect(drawn(field, { typed: ['AT'] })).toMatch(/value="AT" checked><span><bdi>Austria/)
  })

  test('of several keeps each that was ticked', () => {
    const field: Field = { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } }
    expect(drawn(field, { typed: ['a', 'c'] }).match(/value="." checked/g)).toEqual([
      'value="a" checked',
      'value="c" checked',
    ])
  })
})
