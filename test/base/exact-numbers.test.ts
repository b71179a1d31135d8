import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ExactNumber,
  parseJson,
  restoreNumbers,
  restoreNumbersIn,
  roundNumbers,
  writeJson,
} from '../../src/base/json.ts'

const isKept = (text: string) => parseJson(text) instanceof ExactNumber

describe('a number in JSON', () => {
  test.each(['9007199254740993', '-9007199254740993', '9007199254740993.0', '9.007199254740993e15'])(
    'that a double would change is kept: %s',
    (text) => {
      expect(isKept(text)).toBe(true)
      expect(writeJson(parseJson(text))).toBe(text)
      expect(String(parseJson(text))).toBe(text)
    },
  )

  test.each([
    ['9223372036854775807', true],
    ['18446744073709551615', true],
    ['9007199254740992.5', true],
    ['100000000000000000000001', true],
    ['1234567890123456789e400', true],
    ['9007199254740991', false],
    ['9007199254740992', false],
    ['9007199254740992.000', false],
    ['0.9007199254740992e16', false],
    ['100000000000000000000000', false],
    ['1.7976931348623157e308', false],
    ['0.1234567890123456789', false],
    ['-1234567.0000000000001', false],
    ['0.00000000000000000000', false],
  ])('is kept only if a double would change it: %s', (text, kept) => {
    expect(isKept(text)).toBe(kept)
    if (!kept) expect(parseJson(text)).toBe(JSON.parse(text))
  })

  test('in a string is text, whatever stands before it', () => {
    for (const text of ['"9007199254740993"', String.raw`["\\\"9007199254740993", "\\"]`, '{"9007199254740993":1}']) {
      expect(parseJson(text)).toEqual(JSON.parse(text))
    }
    const mixed = String.raw`{"a\\":"\"", "b":9007199254740993, "c":"\\\\\"9007199254740993"}`
    expect(parseJson(mixed)).toEqual({ 'a\\': '"', b: new ExactNumber('9007199254740993'), c: '\\\\"9007199254740993' })
  })

  test('that is not JSON stays an error', () => {
    for (const text of [
      '01234567890123456789',
      '{1234567890123456789:1}',
      '[1234567890123456789',
      '12345678901234567-',
    ]) {
      expect(() => parseJson(text)).toThrow(SyntaxError)
    }
  })

  test('is found wherever it stands', () => {
    for (let before = 0; before < 40; before += 1) {
      const text = `[${' '.repeat(before)}9007199254740993]`
      expect(writeJson(parseJson(text))).toBe('[9007199254740993]')
    }
  })

  test('is found in what is nested deeper than the stack, and under any name', () => {
    const deep = 200_000
    const value = parseJson(`${'['.repeat(deep)}9007199254740993${']'.repeat(deep)}`)
    let inner = value
    while (Array.isArray(inner)) inner = inner[0]
    expect(inner).toEqual(new ExactNumber('9007199254740993'))
    const named = parseJson('{"__proto__":{"x":9007199254740993}}')
    expect(writeJson(named)).toBe('{"__proto__":{"x":9007199254740993}}')
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })
})

test('any other JSON is parsed and written as JSON itself does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text))
      expect(writeJson(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)))
    }),
  )
})

test('integers of any length are written as they came', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n })), (integers) => {
      const text = `[${integers.join(',')}]`
      const written = writeJson(parseJson(text))
      const numbers = written === '[]' ? [] : written.slice(1, -1).split(',')
      // A double that is exact may be written with an exponent: it is the same number.
      expect(numbers.map((one) => (one.includes('e') ? BigInt(Number(one)) : BigInt(one)))).toEqual(integers)
    }),
  )
})

test('kept numbers come back in what others serialise: also as text in text, and as bytes', () => {
  const value = parseJson('{"id":9007199254740993}')
  const once = JSON.stringify({ text: JSON.stringify(value) })
  expect(restoreNumbers(once)).toBe('{"text":"{\\"id\\":9007199254740993}"}')
  expect(restoreNumbers('{"id":"number-x:1"}')).toBe('{"id":"number-x:1"}')
  const bytes = restoreNumbersIn(new TextEncoder().encode(`data: ${JSON.stringify(value)}\n\n`))
  expect(new TextDecoder().decode(bytes)).toBe('data: {"id":9007199254740993}\n\n')
  const others = new TextEncoder().encode('data: {}\n\n')
  expect(restoreNumbersIn(others)).toBe(others)
})

test('a copy with rounded numbers is what JSON.parse gives', () => {
  const text = '{"maximum":9223372036854775807,"deep":[{"minimum":-9223372036854775808}]}'
  const value = parseJson(text)
  expect(roundNumbers(value)).toEqual(JSON.parse(text))
  expect(writeJson(value)).toBe(text)
})
