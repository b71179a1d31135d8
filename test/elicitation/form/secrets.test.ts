import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Field, FormSchema } from '../../../src/elicitation/form/schema.ts'
import { FormAsksSecret, findSecretAsk, refuseSecrets } from '../../../src/elicitation/form/secrets/secrets.ts'
import { cpuTimer } from '../../support/measure/cpu-time.ts'
import { passedDescriptions, passedMessages, passedNames, passedTitles } from './secrets-passed.ts'
import {
  credentials,
  disguises,
  eachLetter,
  refusedDescriptions,
  refusedFormats,
  refusedMessages,
  refusedNames,
  refusedTitles,
  spellingsOf,
} from './secrets-refused.ts'

const form = (properties: Record<string, object>) => ({ type: 'object', properties }) as FormSchema
const named = (name: string, field: Partial<Field> = { type: 'string' }) => form({ [name]: field })
const titled = (title: string) => named('value', { type: 'string', title })
const described = (description: string) => named('value', { type: 'string', description })
const quiet = 'Fill in'

const spelled = credentials.flatMap(spellingsOf)
const titles = Object.values(refusedTitles).flat()

describe('a form that asks for a credential is refused (E11-01)', () => {
  test.each(refusedNames)('by name: %s', (name) => {
    expect(findSecretAsk(named(name), quiet)).toMatchObject({ field: name, where: 'name' })
  })

  test.each(spelled)('by name, however it is spelled: %s', (name) => {
    expect(findSecretAsk(named(name), quiet)).toMatchObject({ field: name, where: 'name' })
  })

  test.each(titles)('by title: %s', (title) => {
    expect(findSecretAsk(titled(title), quiet)).toMatchObject({ field: 'value', where: 'title' })
  })

  test.each(refusedDescriptions)('by description: %s', (description) => {
    expect(findSecretAsk(described(description), quiet)).toMatchObject({ where: 'description' })
  })

  test.each(refusedFormats)('by format: %s', (format) => {
    expect(findSecretAsk(form({ value: { type: 'string', format } }), quiet)).toMatchObject({ where: 'format' })
  })

  test.each(refusedMessages)('by message: %s', (message) => {
    const ask = findSecretAsk(named('value'), message)
    expect(ask).toMatchObject({ where: 'message' })
    expect(ask).not.toHaveProperty('field')
  })

  test('by what is only ever written, never shown', () => {
    expect(findSecretAsk(form({ value: { type: 'string', writeOnly: true } }), quiet)).toEqual({
      field: 'value',
      where: 'format',
      word: 'writeOnly',
    })
  })

  test('in numbers as well', () => {
    expect(findSecretAsk(named('pin', { type: 'integer' }), quiet)).toMatchObject({ word: 'pin' })
    expect(findSecretAsk(named('value', { type: 'number' }), 'Enter your card number')).toMatchObject({
      word: 'card number',
    })
  })

  test('in any of several fields', () => {
    const schema = form({ name: { type: 'string' }, ok: { type: 'boolean' }, token: { type: 'string' } })
    expect(findSecretAsk(schema, quiet)).toEqual({ field: 'token', where: 'name', word: 'token' })
  })

  test('and the corpus is as large as it says', () => {
    const byHand = [refusedNames, titles, refusedDescriptions, refusedFormats, refusedMessages].flat()
    const passing = [passedNames, passedTitles, passedDescriptions, passedMessages].flat()
    expect(new Set(byHand).size).toBeGreaterThanOrEqual(300)
    expect(new Set([...byHand, ...spelled]).size).toBeGreaterThanOrEqual(400)
    expect(new Set(passing).size).toBeGreaterThanOrEqual(120)
    expect(passing.filter((text) => byHand.includes(text))).toEqual([])
  })
})

describe('a form that asks for something else passes (E11-03)', () => {
  test.each(passedNames)('by name: %s', (name) => {
    expect(findSecretAsk(named(name), quiet)).toBeUndefined()
  })

  test.each(passedTitles)('by title: %s', (title) => {
    expect(findSecretAsk(titled(title), quiet)).toBeUndefined()
  })

  test.each(passedDescriptions)('by description: %s', (description) => {
    expect(findSecretAsk(described(description), quiet)).toBeUndefined()
  })

  test.each(passedMessages)('by message: %s', (message) => {
    expect(findSecretAsk(named('value'), message)).toBeUndefined()
  })

  test('when all that can be said is yes or no, or one of the options', () => {
    const labels = { title: 'Your password', description: 'Enter your API key', format: 'password', writeOnly: true }
    const schema = form({
      password: { type: 'boolean', ...labels },
      token: { type: 'string', enum: ['a'], ...labels },
      apiKey: { type: 'string', oneOf: [{ const: 'a', title: 'A' }], ...labels },
      secrets: { type: 'array', items: { type: 'string', enum: ['a'] }, ...labels },
    })
    expect(findSecretAsk(schema, 'Enter your API key below')).toBeUndefined()
  })

  test('when it merely speaks of a password sent to an address', () => {
    const field: Field = { type: 'string', format: 'email', description: 'We send a new password to this address.' }
    expect(findSecretAsk(named('value', field), quiet)).toBeUndefined()
    expect(findSecretAsk(named('value', { ...field, title: 'Password' }), quiet)).toMatchObject({ where: 'title' })
  })

  test('when it has no fields', () => {
    expect(findSecretAsk(form({}), 'Enter your API key below')).toBeUndefined()
  })
})

describe('the refusal', () => {
  const refusal = (schema: FormSchema, message: string): unknown => {
    try {
      return refuseSecrets(schema, message)
    } catch (error) {
      return error
    }
  }

  test('names the field and the remedy, and leaves the word to the log', () => {
    const error = refusal(named('apiKey'), quiet)
    expect(error).toBeInstanceOf(FormAsksSecret)
    expect(error).toMatchObject({
      code: 'form_asks_secret',
      message: 'The field "apiKey" asks for a secret. Ask for it by url instead.',
      detail: 'name says "api key"',
    })
  })

  test('names the message where that is what asks', () => {
    expect(refusal(named('value'), 'Enter your PIN')).toMatchObject({
      message: 'The message of this form asks for a secret. Ask for it by url instead.',
    })
  })

  test('does not come where nothing is asked', () => {
    expect(refusal(named('name'), quiet)).toBeUndefined()
  })
})

describe('a disguise changes nothing', () => {
  const refused = fc.constantFrom(...refusedNames, ...spelled, ...titles)
  const passed = fc.constantFrom(...passedNames, ...passedTitles.filter((title) => /\w/.test(title)))

  test.each(Object.entries(disguises))('%s', (_, disguise) => {
    fc.assert(
      fc.property(refused.chain(disguise), (title) => void expect(findSecretAsk(titled(title), quiet)).toBeDefined()),
      { numRuns: 2_000 },
    )
    fc.assert(
      fc.property(passed.chain(disguise), (title) => void expect(findSecretAsk(titled(title), quiet)).toBeUndefined()),
      { numRuns: 1_000 },
    )
  })

  test('any mix of small and large letters', () => {
    const latin = [...refusedNames, ...spelled, ...(refusedTitles.english as string[])].filter((text) =>
      /^[ -~]*$/.test(text),
    )
    const mixed = fc.constantFrom(...latin).chain((text) => eachLetter(text, (letter) => [letter.toUpperCase()]))
    fc.assert(
      fc.property(mixed, (title) => void expect(findSecretAsk(titled(title), quiet)).toBeDefined()),
      { numRuns: 3_000 },
    )
  })

  test('all small or all large letters', () => {
    // Small Greek letters do not look like PIN.
    for (const title of titles.filter((one) => one !== 'ΡΙΝ')) {
      expect.soft(findSecretAsk(titled(title.toUpperCase()), quiet), title.toUpperCase()).toBeDefined()
      expect.soft(findSecretAsk(titled(title.toLowerCase()), quiet), title.toLowerCase()).toBeDefined()
    }
    for (const title of [...passedNames, ...passedTitles]) {
      expect.soft(findSecretAsk(titled(title.toUpperCase()), quiet), title.toUpperCase()).toBeUndefined()
      expect.soft(findSecretAsk(titled(title.toLowerCase()), quiet), title.toLowerCase()).toBeUndefined()
    }
  })

  test('letters one by one', () => {
    const separator = fc.constantFrom(' ', '.', '-', '_', '*', ' . ', '\u200b \u200b')
    const word = fc.constantFrom(
      'password',
      'token',
      'secret',
      'pin',
      'cvv',
      'apikey',
      'passwort',
      'contraseña',
      'пароль',
    )
    fc.assert(
      fc.property(word, separator, (letters, between) => {
        expect(findSecretAsk(titled([...letters].join(between)), quiet)).toBeDefined()
      }),
    )
  })
})

describe('whatever it is given', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 60 })

  test('it never throws', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.string({ unit: 'grapheme', maxLength: 40 }), (title, message, description) => {
        findSecretAsk(named(title, { type: 'string', title, description }), message)
      }),
      { numRuns: 10_000 },
    )
    expect(findSecretAsk(titled('\ud800 \udfff'), '\udc00')).toBeUndefined()
  })

  test.each([
    '$',
    ',',
    'a ',
    'api ',
    'aA',
    'a1',
    'a\u0301',
    'number of the ',
    'passwordpolicy',
    'numberofpassword',
    'never enter your password or ',
    'access token count. ',
    '密码策略',
  ])('a long text of %j takes no longer than its length', (part) => {
    const text = part.repeat(60_000 / part.length)
    const schema = named('value', { type: 'string', title: text, description: text })
    const took = cpuTimer()
    findSecretAsk(schema, text)
    // Far below what anything quadratic would take.
    expect(took()).toBeLessThan(2_000)
  })
})
